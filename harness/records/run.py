"""run.json."""

from __future__ import annotations

from enum import StrEnum
from itertools import pairwise
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from harness.records.base import FORMAT_VERSION, Identity, Record, TimeNs
from harness.records.finding import Finding
from harness.records.metering import Channel, Unavailable
from harness.records.planned import PlannedRun, Purpose


class Outcome(StrEnum):
    OK = "ok"
    FAILED = "failed"
    INVALID = "invalid"
    NOT_APPLICABLE = "not-applicable"


class RunRecord(Record):
    """run.json: what the host knows of a run. Times are CLOCK_MONOTONIC nanoseconds; null is unknown."""

    format_version: int = FORMAT_VERSION
    campaign_id: str
    planned: PlannedRun
    isolation: str
    environment: dict[str, Any]
    started: str
    start_ns: TimeNs
    ready_ns: TimeNs | None
    go_ns: TimeNs | None
    done_ns: TimeNs | None  # the worker's word
    done_seen_ns: TimeNs | None = None  # by the host
    done_since_ns: TimeNs | None = None  # its last look before that, at most so much after the worker's word:
    lateness_allowed_s: float | None = None
    bye_ns: TimeNs | None = None  # the host let the worker go
    cpu_before_go_s: float | None = None  # of the run's processes
    cpu_after_done_s: float | None = None  # at least, as seen by the readings between done and exit
    exit_ns: TimeNs
    exit_code: int | None
    outcome: Outcome
    reason: str = ""
    channels: tuple[Channel, ...]
    lost: tuple[Unavailable, ...] = ()
    sampler_cpu_s: float | None = None  # what measuring cost (rule R9)
    conditions: dict[str, Any] = Field(
        default_factory=dict
    )  # of the machine before the run (harness.host.conditions)
    facts: dict[str, Any] = Field(
        default_factory=dict
    )  # of the worker's telling: versions, threads, mode; empty where it told none
    work: dict[str, Any] = Field(
        default_factory=dict
    )  # what the worker did: samples, steps, parameters, flops_per_step, data_bytes
    judged: tuple[dict[str, float | None], ...] = ()  # of each evaluation, the metrics that the host judges
    judges: dict[str, str] = Field(
        default_factory=dict
    )  # metric -> how the host judged it, as sacrebleu's signature
    profiler: dict[str, Any] = Field(
        default_factory=dict
    )  # what looked at the worker's stacks, with whose rights, and what the worker got for it: tool, looks_per_s ...
    sources: tuple[str, ...] = ()  # of an imported run: its files, as campaign.json names them
    made_by: Annotated[str, Field(max_length=200, exclude_if=lambda told: not told)] = (
        ""  # the version of the suite, as in campaign.json; runs of before do not tell
    )
    campaign_identity: Annotated[Identity, Field(exclude_if=lambda told: not told)] = (
        ""  # of the campaign that made it, as in campaign.json
    )
    findings: tuple[Finding, ...] = ()

    @model_validator(mode="after")
    def _profiled_where_something_looked(self) -> Self:
        if self.profiler and self.planned.purpose != Purpose.PROFILE:
            raise ValueError(f"a profiler looked at it, and it is of purpose {self.planned.purpose}")
        return self

    @model_validator(mode="after")
    def _one_after_the_other(self) -> Self:
        """No run is done before it was let go, or has ended before that: its time and its joules would be negative.

        One that could not be started has no end, either.
        """
        if self.go_ns is None:
            return self
        steps = {name: getattr(self, name) for name in ("start_ns", "go_ns", "done_ns", "exit_ns")}
        known = [(name, t_ns) for name, t_ns in steps.items() if t_ns is not None]
        for (before, earlier_ns), (name, t_ns) in pairwise(known):
            if t_ns < earlier_ns:
                raise ValueError(f"{name} lies {(earlier_ns - t_ns) / 1e9:g} s before {before}")
        return self
