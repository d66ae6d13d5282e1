"""What shall be run: treatments, and each one's place in the order."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

from pydantic import Field, model_validator

from harness.devices import HOST
from harness.records.base import Count, FolderName, Record

Work = tuple[str, str, str, str, str]  # workload, data set, stage, device, settings as JSON


class Purpose(StrEnum):
    """Why a run is made. All are recorded; `measure` alone is in figures."""

    MEASURE = "measure"
    PREPARE = "prepare"  # trains the state that stage infer loads
    CONTROL = "control"  # work that never changes, before each block
    WARM_UP = "warm-up"
    PROFILE = "profile"  # under a profiler, which changes what it measures


class Profiler(StrEnum):
    """By what a run is profiled: from outside, or within its environment (suite.profilers)."""

    PY_SPY = "py-spy"
    NATIVE = "py-spy-native"  # with the frames of compiled code below Python's
    CPROFILE = "cprofile"
    OPERATORS = "operators"


FROM_OUTSIDE = (Profiler.PY_SPY, Profiler.NATIVE)


class Treatment(Record):
    """One combination of factors."""

    workload: str
    framework: str
    version: str
    stage: str
    dataset: str
    device: str = HOST
    settings: dict[str, bool | int | float | str] = Field(default_factory=dict)

    @property
    def label(self) -> str:
        return f"{self.workload} {self.framework} {self.version} {self.stage}"

    @property
    def work(self) -> Work:
        """All but framework and version: what it has in common with those that it may be compared with."""
        settings = json.dumps(self.settings, sort_keys=True)
        return self.workload, self.dataset, self.stage, self.device, settings


class PlannedRun(Record):
    """A treatment's place in the order. Preparation runs (block 0) train the state that stage infer loads."""

    run_id: FolderName
    block: Count
    position: Count
    repetition: Count
    treatment: Treatment
    purpose: Purpose | str = Field(Purpose.MEASURE, union_mode="left_to_right")
    # Of purpose profile, where None is py-spy or an imported file's; others are stored as before there were profilers.
    profiler: Annotated[Profiler | None, Field(exclude_if=lambda profiler: profiler is None)] = None

    @model_validator(mode="after")
    def _profiled_under_a_profiler(self) -> PlannedRun:
        if self.profiler is not None and self.purpose != Purpose.PROFILE:
            raise ValueError(f"it has a profiler ({self.profiler}), and is of purpose {self.purpose}")
        return self

    @property
    def looked_at(self) -> bool:
        """Whether its stacks are, from outside, while it works."""
        return self.purpose == Purpose.PROFILE and self.looked_at_by in FROM_OUTSIDE

    @property
    def looked_at_by(self) -> Profiler:
        """The profiler of a run of purpose profile."""
        return self.profiler or Profiler.PY_SPY


class Skipped(Record):
    """A treatment that this machine cannot run, kept with the reason.

    `inherent`: its framework, device or kind of environment has no such mode or precision; to lack it is no failure.
    """

    treatment: Treatment
    reason: str
    inherent: bool = False
