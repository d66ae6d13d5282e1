"""Which builds of the suite made an anonymous campaign: its records number them, their commits stay on this machine."""

from __future__ import annotations

import json
from contextlib import suppress

from pydantic import TypeAdapter

from harness import paths
from harness.errors import UnsafeFile
from harness.exports import anonymous
from harness.files import whole_files
from harness.files.untrusted import read_beneath
from harness.version import without_commit

UNKNOWN = "build unknown"  # of a campaign that another machine began, or whose builds were forgotten here
MOST_BYTES = 1 << 20
_BUILDS = TypeAdapter(list[str])


def numbered(identity: str, made_by: str, is_first: bool) -> str:
    """The version without its commit; with the number of its build from the second one on.

    `is_first`: whether no run of the campaign is stored yet, so that there is nothing to remember; else what is not
    remembered is unknown, and each further build another unknown one. Of a campaign of before, which has no
    `identity`, nobody can tell.
    """
    if not identity or not made_by:
        return without_commit(made_by)
    known = _remembered(identity) or ([] if is_first else [UNKNOWN])
    if made_by not in known:
        known.append(made_by)
        _remember(identity, known)
    if known[0] != UNKNOWN:
        return anonymous.versions(known)[made_by]
    further = known.index(made_by)
    return f"{without_commit(made_by)}, {UNKNOWN}{f' {further}' if further > 1 else ''}"


def _remembered(identity: str) -> list[str]:
    """Nothing where the file is missing, or is none of ours."""
    with suppress(OSError, ValueError, UnsafeFile):
        return _BUILDS.validate_json(read_beneath(paths.builds(), _name(identity), MOST_BYTES), strict=True)
    return []


def _remember(identity: str, known: list[str]) -> None:
    """A run that was measured is not lost for want of a note: without it whoever resumes is an unknown build."""
    with suppress(OSError):
        paths.builds().mkdir(parents=True, exist_ok=True)
        whole_files.write_text(paths.builds() / _name(identity), json.dumps(known))


def _name(identity: str) -> str:
    return f"{identity}.json"
