"""What a run needs besides its place in the plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.campaign.live_power import Listener
from harness.environments.base import Environment
from harness.meters import Meters
from harness.records import Finding, Limits
from harness.sampling.client import Sampler
from suite.protocol import Event
from suite.task import Metric


@dataclass(frozen=True)
class Equipment:
    """Where, with what and by which rules a run is made, and who hears of it."""

    campaign_id: str
    environment: Environment
    meters: Meters
    folder: Path  # of this run, apart from the finished ones
    data: Path
    state: Path | None
    cpus: tuple[int, ...]
    seed: int
    sampler: Sampler
    timeout_s: float
    metric: Metric | None  # of the run's quality, where it has one
    quality_floor: Mapping[str, float]
    limits: Limits
    keep_state: bool = False
    profiled: bool = False  # its stacks are looked at, which costs time and energy
    native: bool = False  # the frames of compiled code, too, which cost more
    profiler: str = ""  # one of suite.profilers within its environment; empty for none
    made_by: str = ""  # the version of the suite
    campaign_identity: str = ""
    findings: tuple[Finding, ...] = ()  # that hold before it has begun
    on_event: Callable[[Event], None] = lambda event: None
    on_power: Listener = lambda power_w, provenance: None
