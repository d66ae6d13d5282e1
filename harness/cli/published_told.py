"""What a study prints of the settings of its workloads, beside what its profile runs here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.cli import screen
from harness.records import Plan
from suite.spec import Spec

COLUMNS = ("workload", "setting", "published", "here")
DATASET = "dataset"
NOT_SAID = "not said"


def tell(plan: Plan, specs: Mapping[str, Spec]) -> None:
    names = dict.fromkeys(one.workload for one in plan.treatments)
    rows = [row for name in names for row in _rows(plan, specs[name])]
    if rows:
        screen.say("as the study says it, and here:")
        columns = zip(*rows, strict=True)
        screen.print_columns({title: list(cells) for title, cells in zip(COLUMNS, columns, strict=True)})


def _rows(plan: Plan, spec: Spec) -> Iterator[tuple[str, str, str, str]]:
    profile = spec.profiles.get(plan.profile)
    for setting, said in (profile.published if profile else {}).items():
        here = ", ".join(map(str, _values(plan, spec, setting)))
        yield spec.name, setting, said or NOT_SAID, here


def _values(plan: Plan, spec: Spec, setting: str) -> list[Any]:
    """Each once, in the plan's order."""
    mine = (one for one in plan.treatments if one.workload == spec.name)
    found = (
        one.dataset if setting == DATASET else getattr(spec.with_settings(one.settings), setting)
        for one in mine
    )
    return list(dict.fromkeys(found))
