"""Which builds of the suite made an anonymous campaign: its records number them, their commits stay on this machine."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from harness import paths
from harness.exports import anonymous
from harness.files import whole_files
from harness.version import without_commit

UNKNOWN = "build unknown"  # of a campaign that another machine began, or whose builds were forgotten here


def numbered(identity: str, made_by: str, is_first: bool) -> str:
    """The version without its commit; with the number of its build from the second one on.

    `is_first`: whether no run of the campaign is stored yet, so that there is nothing to remember. Of one of before,
    which has no `identity`, nobody can tell.
    """
    number = without_commit(made_by)
    if number == made_by or not identity:
        return number
    known = _remembered(identity)
    if not known and not is_first:
        return f"{number}, {UNKNOWN}"
    if made_by not in known:
        known.append(made_by)
        _place(identity).parent.mkdir(parents=True, exist_ok=True)
        whole_files.write_text(_place(identity), json.dumps(known))
    return anonymous.versions(known)[made_by]


def _remembered(identity: str) -> list[str]:
    with suppress(OSError, ValueError):
        return [str(one) for one in json.loads(_place(identity).read_text())]
    return []


def _place(identity: str) -> Path:
    return paths.builds() / f"{identity}.json"
