"""What runs take: as they were measured here, else as they were where this version was made; the cheapest come first.

Nobody knows a machine before it has measured: the stored seconds say which workload is cheaper than which, and how
long a first turn takes, about. Runs under way correct them.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from statistics import fmean, median
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from harness import paths
from harness.errors import UnsafeFile
from harness.files import whole_files
from harness.files.untrusted import read_beneath
from harness.records import Treatment

STORED = Path(__file__).with_name("forecasts.toml")
COMPARABLE = "quick"  # whose stored seconds order the workloads of a profile that has none
MOST_KNOWN, MOST_BYTES = 5_000, 8 << 20
_KNOWN = TypeAdapter(dict[str, Annotated[float, Field(gt=0, lt=1e7)]])

Known = Mapping[str, float]  # seconds of a run, by the treatment's record


def guesses(treatments: Iterable[Treatment], profile: str) -> Known:
    """Of those of which anything is known: as measured here, else as stored, times how much longer runs take here."""
    several, known = list(treatments), known_here()
    stored = {_key(one): seconds for one in several if (seconds := _stored_s(one, profile)) is not None}
    both = stored.keys() & known.keys()
    longer = median(known[one] / stored[one] for one in both) if both else 1.0
    here = {name: known[name] for name in map(_key, several) if name in known}
    return {**{name: longer * seconds for name, seconds in stored.items()}, **here}


def cheapest_first(treatments: Iterable[Treatment], profile: str) -> tuple[str, ...]:
    """The workloads; those of which nobody knows anything come last, in the plan's order."""
    several = list(treatments)
    known = {**guesses(several, COMPARABLE), **guesses(several, profile)}
    found: dict[str, list[float]] = {}
    for one in several:
        found.setdefault(one.workload, []).append(known.get(_key(one), float("inf")))
    return tuple(sorted(found, key=lambda name: fmean(found[name])))


def known_here() -> dict[str, float]:
    """What was measured on this machine; nothing where the file is missing or is none of ours."""
    path = paths.costs()
    try:
        return _KNOWN.validate_json(read_beneath(path.parent, path.name, MOST_BYTES))
    except (OSError, ValidationError, UnsafeFile, ValueError):
        return {}


def keep(took_s: Known) -> None:
    """The newest of each treatment; of too many, the newest."""
    from filelock import FileLock  # whoever only reads does not wait for it

    path, new = paths.costs(), dict(took_s)
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{path}.lock"):
        kept = {name: one for name, one in known_here().items() if name not in new} | new
        whole_files.write_text(path, json.dumps(dict(list(kept.items())[-MOST_KNOWN:])))


def _stored_s(one: Treatment, profile: str) -> float | None:
    return _stored().get(profile, {}).get(f"{one.workload} {one.stage}")


def _key(one: Treatment) -> str:
    return one.model_dump_json()


@cache
def _stored() -> dict[str, dict[str, float]]:
    return tomllib.loads(STORED.read_text())
