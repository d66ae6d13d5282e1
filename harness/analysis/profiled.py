"""The profiled runs of a campaign, each with its functions by joules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from harness.analysis import function_types
from harness.analysis.function_costs import FunctionCosts, of_run
from harness.analysis.function_types import FunctionTypes
from harness.analysis.groups import Group, grouped, in_words, name_of
from harness.analysis.tables import idle_w_before
from harness.errors import SuiteError
from harness.inventory.specs import EXECUTION
from harness.records import IMPORTED, Outcome, Profiler, Purpose, Treatment
from harness.store import Campaign, Run

NATIVE_FRAMES = "with native frames"
NOBODY = {"framework": "", "version": ""}


@dataclass(frozen=True)
class ProfiledRun:
    """`costs` is None where they cannot be told, with the reason."""

    run: Run
    costs: FunctionCosts | None
    reason: str = ""

    @property
    def planned(self) -> Treatment:
        return self.run.record.planned.treatment

    @cached_property
    def work(self) -> Group:
        """What another must do as well to be held against it."""
        return work_of(self.planned)

    @property
    def treatment(self) -> str:
        """Framework and version."""
        return name_of(self.planned)

    @property
    def name(self) -> str:
        """The treatment, how it did the work where the plan says so, and whether native frames were seen."""
        name = name_with_mode(self.planned)
        return f"{name}, {NATIVE_FRAMES}" if self.tool is Profiler.NATIVE else name

    @property
    def tool(self) -> Profiler:
        """Which frames it saw: runs of one are never held against those of another."""
        return self.run.record.planned.looked_at_by


@dataclass(frozen=True)
class Profiles:
    """Computed when they are first asked for."""

    campaign: Campaign

    @cached_property
    def runs(self) -> Sequence[ProfiledRun]:
        """Those of one work together; works, and the treatments of each, in the plan's order."""
        found = [run for run in self.campaign.runs if _looked_at(run)]
        blocks = {run.record.planned.block for run in found}
        idle_w = {block: idle_w_before(self.campaign, block) for block in blocks}
        runs = [_profiled(run, idle_w[run.record.planned.block]) for run in found]
        planned = self.campaign.record.plan.treatments
        works = list(dict.fromkeys([*map(work_of, planned), *(one.work for one in runs)]))
        places = {_key(one): place for place, one in reversed(list(enumerate(planned)))}
        return sorted(
            runs, key=lambda one: (works.index(one.work), places.get(_key(one.planned), len(places)))
        )

    @cached_property
    def told(self) -> Sequence[ProfiledRun]:
        """Of which the functions are known."""
        return [one for one in self.runs if one.costs is not None]

    @cached_property
    def types(self) -> FunctionTypes:
        """Raises: UsageError for a table of the campaign's own that cannot be read."""
        return function_types.of_campaign(self.campaign.folder)

    @cached_property
    def workloads(self) -> Sequence[str]:
        """Of each run under any profiler, in the order in which they ran."""
        planned = (one.record.planned for one in self.campaign.runs)
        return [one.treatment.workload for one in planned if one.purpose == Purpose.PROFILE]

    @property
    def alone(self) -> bool:
        """Whether the campaign profiles, and measures nothing that could be compared."""
        purposes = {one.purpose for one in self.campaign.record.order}
        return Purpose.PROFILE in purposes and Purpose.MEASURE not in purposes


def _looked_at(run: Run) -> bool:
    """Nobody looked at what was imported: its files are of cProfile."""
    return run.record.isolation != IMPORTED and run.record.planned.looked_at


def _profiled(run: Run, idle_w: float | None) -> ProfiledRun:
    record = run.record
    if record.outcome is not Outcome.OK:
        return ProfiledRun(run, None, f"{record.outcome}: {record.reason}")
    try:
        return ProfiledRun(run, of_run(run, idle_w))
    except SuiteError as error:
        return ProfiledRun(run, None, str(error))


def _key(treatment: Treatment) -> str:
    return treatment.model_dump_json()


def name_with_mode(treatment: Treatment) -> str:
    """Framework and version, and how it does the work where the plan says so."""
    settings: Mapping[str, Any] = treatment.settings
    how = (in_words(name, settings[name]) for name in EXECUTION if name in settings)
    return ", ".join([name_of(treatment), *how])


def work_of(treatment: Treatment) -> Group:
    """All but framework, version and how the work is done."""
    settings = {name: level for name, level in treatment.settings.items() if name not in EXECUTION}
    (group,) = grouped([treatment.model_copy(update={"settings": settings, **NOBODY})])
    return group
