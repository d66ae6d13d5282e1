"""Data sets at hand."""

from __future__ import annotations

from collections.abc import Iterator

from harness.datasets import prepared, sources
from harness.doctor.check import Check, Level, judged
from harness.errors import DataError

WHY = "a workload whose data set is missing runs on the embedded digits, and says so"


def checks() -> Iterator[Check]:
    for name, one in sources().items():
        yield Check(f"data {name}", Level.OK, "embedded", WHY) if not one.files else fetched(name)


def fetched(name: str) -> Check:
    """Whether a data set that must be downloaded is there and whole."""
    state, good = "not prepared", prepared.is_prepared(name)
    if good:
        try:
            prepared.verify(name)
            state = "prepared"
        except DataError:
            state, good = "damaged", False
    return judged(f"data {name}", good, state, WHY, f"suite data fetch {name}")
