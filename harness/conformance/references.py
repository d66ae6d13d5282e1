"""Which implementation the others are held against, and what has to be recorded of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from harness.conformance.asked import Asked, Place
from harness.inventory import abilities, catalog
from harness.inventory.abilities import TRAINING

REFERENCE = "torch"  # where it takes part: its float64 is as exact as any, and it starts fast


def with_references(
    wanted: Mapping[Place, Sequence[Asked]], places: Iterable[Place]
) -> dict[Place, list[Asked]]:
    """What has to be recorded for it: the reference's part, too, in its default mode. `places`: all that there are."""
    found = {place: dict.fromkeys(several) for place, several in wanted.items()}
    for one in [one for several in wanted.values() for one in several]:
        first = reference_of(one.workload, places)
        found.setdefault(first, {})[one.in_default_mode] = None
    return {place: list(several) for place, several in found.items()}


def reference_of(workload: str, places: Iterable[Place]) -> Place:
    """Raises: ValueError where nobody can carry it out."""
    able = sorted(place for place in places if place[0] in catalog.workload(workload).frameworks)
    return min(able, key=lambda place: (place[0] != REFERENCE, TRAINING not in abilities.of(place[0]).proves))
