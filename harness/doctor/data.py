"""Data sets at hand."""

from __future__ import annotations

from collections.abc import Iterator

from harness.datasets import prepared, source
from harness.datasets.base import command_for, is_at_hand
from harness.doctor.check import Check, Level, judged
from harness.errors import DataError
from harness.inventory import catalog

WHY = "a workload whose data set is missing runs on the next one that its spec names, and says so"


def checks() -> Iterator[Check]:
    """Of the data sets that a workload names."""
    named = {name for workload in catalog.workloads().values() for name in workload.spec.datasets}
    for name in sorted(named):
        embedded = is_at_hand(source(name))
        yield Check(f"data {name}", Level.OK, "embedded", WHY) if embedded else fetched(name)


def fetched(name: str) -> Check:
    """Whether a data set that is not at hand by itself is there and whole."""
    state, good = "not prepared", prepared.is_prepared(name)
    if good:
        try:
            prepared.verify(name)
            state = "prepared"
        except DataError:
            state, good = "damaged", False
    return judged(f"data {name}", good, state, WHY, command_for(source(name)))
