"""A plan: treatments, protocol and seed."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import ConfigDict, Field, model_validator

from harness.records.base import Boundary, Count, Record
from harness.records.metering import DEFAULT_BOUNDARY, PowerModel
from harness.records.planned import Profiler, Skipped, Treatment, Work

BY_LOOKING = (Profiler.PY_SPY,)


class CoolDown(Record):
    """Rule R22: before a run, power and temperatures are back within these bands of the campaign's idle.

    For `at_least_s` on end, waited for `at_most_s` (0: not at all).
    """

    model_config = ConfigDict(allow_inf_nan=False)

    power_band: float = Field(default=0.05, ge=0)
    temperature_band_k: float = Field(default=3.0, ge=0)
    at_least_s: float = Field(default=10.0, ge=0)
    at_most_s: float = Field(default=0.0, ge=0)


class Limits(Record):
    """What a run may take of the machine; one that wants more has failed, with this as the reason.

    `memory_share` of the machine's memory, so that the machine itself keeps some; `scratch_bytes` and `scratch_files`
    in its /tmp, which lies in that memory; `output_bytes` of what it leaves behind.
    """

    memory_share: float = Field(default=0.9, gt=0, le=1)
    scratch_bytes: int = Field(default=1 << 30, ge=1 << 20)
    scratch_files: int = Field(default=1 << 16, ge=64)
    output_bytes: int = Field(default=1 << 30, ge=1)


MOST_LOOKS = 500  # the bounds of more take minutes to compute


class Opening(Record):
    """The work that a campaign by turns begins with; `alpha` is the error of each of its ratios, over all looks."""

    work: Work
    alpha: float


class Until(Record):
    """When a campaign may stop before its last block, declared before its first run (rule R34).

    `looks`: after how many complete blocks the ratios to `reference` ("torch 2.13.0"; a group's first treatment where
    it lacks that) are looked at; `method`, `alpha` and `spending` are those of harness.analysis.sequential. `opening`
    has an error of its own, so that time that is short tells something; None: all ratios have the same.
    """

    margin: float
    quantities: tuple[str, ...]
    reference: str
    method: str
    looks: Annotated[tuple[int, ...], Field(min_length=1, max_length=MOST_LOOKS)]
    alpha: float
    spending: str
    opening: Opening | None = None

    def alpha_of(self, work: Work) -> float:
        return self.opening.alpha if self.opening and self.opening.work == work else self.alpha


class PlanRecord(Record):
    """A plan as far as it is known: of an imported campaign nobody knows how it was seeded, timed out and modelled."""

    profile: str
    treatments: tuple[Treatment, ...]
    skipped: tuple[Skipped, ...] = ()
    repetitions: Count
    seed: int | None = None
    sample_period_s: float
    baseline_s: float | None = None
    run_timeout_s: float | None = None
    power_model: PowerModel | None = None
    expected_run_s: float
    cool_down: CoolDown = CoolDown()
    retries: int = 0  # repetitions, at the end of its block, of a run that failed or was invalid
    warm_up_s: float = 0.0  # of runs before the first block, recorded and excluded (rule R23)
    idle_s: float = 0.0  # a pause before every run, for studies that had one
    rehearse: bool = False  # frameworks and data are read once before anything is measured
    control_rounds: int = 0  # of fixed work on each CPU, in a run that opens each block; 0: no such run
    limits: Limits = Limits()
    peak_flops_per_s: dict[str, float] = Field(default_factory=dict)  # "cuda-bf16" -> as the user states it
    boundary: Boundary = (
        DEFAULT_BOUNDARY  # whose sum the energy is: or "wall", "psys", channels with commas between
    )
    profile_runs: Count = 0  # of each treatment under a profiler, after all blocks; never compared
    # Under each of these, where they can look at it; stored as before there was a choice where there was none.
    profile_tools: Annotated[
        tuple[Profiler, ...], Field(min_length=1, max_length=8, exclude_if=lambda tools: tools == BY_LOOKING)
    ] = BY_LOOKING
    until: Until | None = None  # None: all `repetitions` blocks, which are the most there can be
    # Workloads, as each has its turn where time is short: see harness.planning.turns; none: block by block.
    turns: Annotated[tuple[str, ...], Field(max_length=10_000, exclude_if=lambda turns: not turns)] = ()

    @model_validator(mode="after")
    def _turns_end_by_looks(self) -> Self:
        if self.turns and not self.until:
            raise ValueError("turns need until: what is open is looked at")
        return self

    @property
    def missed(self) -> tuple[Skipped, ...]:
        """What was left out though another machine could run it."""
        return tuple(one for one in self.skipped if not one.inherent)


class Plan(PlanRecord):
    """Treatments, protocol and seed: everything that determines the order."""

    seed: int
    baseline_s: float
    run_timeout_s: float
    power_model: PowerModel
