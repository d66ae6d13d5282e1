"""The runs of a campaign that were profiled within their environments: functions by time, and operators."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np
import pandas as pd

from harness.analysis import operator_joules, operators
from harness.analysis.call_graph import CallGraph, call_graph
from harness.analysis.function_times import costliest
from harness.analysis.groups import Group
from harness.analysis.operator_joules import OperatorJoules
from harness.analysis.profiled import name_with_mode, work_of
from harness.analysis.tables import idle_w_before
from harness.errors import SuiteError
from harness.profiling import function_files, operator_files
from harness.profiling.function_files import FUNCTIONS_FILE
from harness.profiling.operator_files import OPERATORS_FILE
from harness.records import Purpose
from harness.store import Campaign, Run

T = TypeVar("T")


@dataclass(frozen=True)
class FunctionTimes:
    """`functions`: those of harness.analysis.function_times; `graph`: who called whom."""

    functions: pd.DataFrame
    graph: CallGraph


@dataclass(frozen=True)
class OperatorTimes:
    """`operators`: NORMALISED by name, as `source` told them, of so many seconds by the clock, and JOULES.

    `joules` of all; None where they cannot be told, with the reason: the columns are null then.
    """

    operators: pd.DataFrame
    source: str
    recorded_s: float
    joules: OperatorJoules | None
    reason: str = ""

    @property
    def by_operator(self) -> pd.DataFrame:
        return operators.by_operator(self.operators)


@dataclass(frozen=True)
class RunTimes(Generic[T]):
    """`times` are None where they cannot be read, with the reason."""

    run: Run = field(repr=False)
    times: T | None
    reason: str = ""

    @property
    def work(self) -> Group:
        """What another must do as well to be held beside it."""
        return work_of(self.run.record.planned.treatment)

    @property
    def name(self) -> str:
        """Framework and version, and how it did the work where the plan says so."""
        return name_with_mode(self.run.record.planned.treatment)


def function_times(campaign: Campaign) -> list[RunTimes[FunctionTimes]]:
    return list(_read(campaign, FUNCTIONS_FILE, _functions))


def operator_times(campaign: Campaign) -> list[RunTimes[OperatorTimes]]:
    return list(
        _read(
            campaign,
            OPERATORS_FILE,
            lambda run: operators_of(run, idle_w_before(campaign, run.record.planned.block)),
        )
    )


def by_work(runs: Sequence[RunTimes[T]]) -> Mapping[Group, list[RunTimes[T]]]:
    """Those of one work together, by their names: the order in which they ran was drawn."""
    works = dict.fromkeys(one.work for one in runs)
    return {
        work: sorted((one for one in runs if one.work == work), key=lambda one: one.name) for work in works
    }


def _read(campaign: Campaign, file: str, read: Callable[[Run], T]) -> Iterator[RunTimes[T]]:
    for run in campaign.runs:
        if run.record.planned.purpose == Purpose.PROFILE and os.path.lexists(run.folder / file):
            try:
                yield RunTimes(run, read(run))
            except SuiteError as error:
                yield RunTimes(run, None, str(error))


def _functions(run: Run) -> FunctionTimes:
    profile, framework = function_files.read(run.folder), run.record.planned.treatment.framework
    return FunctionTimes(costliest(profile.functions, framework), call_graph(profile, framework))


def operators_of(run: Run, idle_w: float | None) -> OperatorTimes:
    """`idle_w`: of the idle machine before it. Raises: UsageError where its table was removed or altered."""
    told = operator_files.read(run.folder).sort_values("seconds", ascending=False, kind="stable")
    found, first = operators.normalised(told), told[:1]
    joules, reason = _joules(run, told, idle_w)
    for name in operators.JOULES:
        found[name] = getattr(joules.shares, name) if joules else np.nan
    return OperatorTimes(found, "".join(first["source"]), float(first["recorded_s"].sum()), joules, reason)


def _joules(run: Run, told: pd.DataFrame, idle_w: float | None) -> tuple[OperatorJoules | None, str]:
    try:
        return operator_joules.of_run(run, told, idle_w), ""
    except SuiteError as error:
        return None, str(error)
