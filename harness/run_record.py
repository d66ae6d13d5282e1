"""The record of a run: what the host saw of it, judged by the rules of validity."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from harness import checks, samples
from harness.environments.recipe import suite_sha256
from harness.follow import EventTail
from harness.host.settings import settings
from harness.records import Outcome, PlannedRun, RunRecord
from harness.sampler import Recorded
from harness.setting import Setting
from harness.store import SAMPLES_FILE


@dataclass
class Marks:
    """Host-side times in CLOCK_MONOTONIC ns; None until they happen."""

    start_ns: int
    ready_ns: int | None = None
    go_ns: int | None = None
    done_ns: int | None = None
    exit_ns: int = 0

    @property
    def window(self) -> tuple[int, int] | None:
        """What is measured; None if it never came to its end."""
        return (self.go_ns, self.done_ns) if self.go_ns and self.done_ns else None


@dataclass
class Seen:
    """What the host sees of a run as it goes on, from its beginning; `failure` says why it is not ok."""

    tail: EventTail
    conditions: Mapping[str, Any]  # of the machine before it; empty where the run was not made
    started: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    marks: Marks = field(default_factory=lambda: Marks(time.monotonic_ns()))
    failure: str = ""
    exit_code: int | None = None
    foreign: tuple[str, ...] = ()
    recorded: Recorded | None = None

    def told(self, kind: str) -> dict[str, Any]:
        """What the worker said in its event of this kind; empty if it never did."""
        event = self.tail.find(kind)
        return dict(event.data) if event else {}


def record_of(planned: PlannedRun, setting: Setting, seen: Seen) -> RunRecord:
    """What is written of a run that has ended."""
    findings = (*setting.findings, *checks.of_a_run(_evidence(planned, setting, seen)))
    invalid = checks.reason_invalid(findings)
    return RunRecord(
        campaign_id=setting.campaign_id,
        planned=planned,
        isolation=setting.environment.isolation,
        environment={**setting.environment.describe(), "cpus": list(setting.cpus)},
        started=seen.started,
        **vars(seen.marks),
        exit_code=seen.exit_code,
        outcome=Outcome.FAILED if seen.failure else Outcome.INVALID if invalid else Outcome.OK,
        reason=seen.failure or invalid,
        channels=setting.meters.channels,
        lost=seen.recorded.lost if seen.recorded else (),
        sampler_cpu_s=seen.recorded.cpu_s if seen.recorded else None,
        conditions=dict(seen.conditions),
        facts=seen.told("facts"),
        work=seen.told("work"),
        findings=findings,
    )


def record_of_none(planned: PlannedRun, setting: Setting, reason: str) -> RunRecord:
    """What is written of a run that cannot be made."""
    seen = Seen(EventTail(setting.folder, setting.on_event), {}, failure=reason)
    seen.marks.exit_ns = seen.marks.start_ns
    return record_of(planned, setting, seen).model_copy(update={"outcome": Outcome.NOT_APPLICABLE})


def _evidence(planned: PlannedRun, setting: Setting, seen: Seen) -> checks.Evidence:
    channels, window = setting.meters.channels, seen.marks.window
    read = seen.recorded is not None and window is not None
    return checks.Evidence(
        treatment=planned.treatment,
        isolation=setting.environment.isolation,
        environment=setting.environment.describe(),
        suite_sha256=suite_sha256(),
        channels=channels,
        lost=seen.recorded.lost if seen.recorded else (),
        series=samples.read(setting.folder / SAMPLES_FILE, channels) if read else (),
        window=window,
        foreign=seen.foreign,
        events=seen.tail.seen,
        quality_floor=setting.quality_floor,
        settings=(seen.conditions["settings"], settings()) if seen.conditions else None,
    )
