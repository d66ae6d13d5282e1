"""A campaign to be carried out on this machine: its plan, and all that stands ready for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from uuid import uuid4

from harness import store, version
from harness.campaign import pretrained_states
from harness.datasets import prepared
from harness.environments.base import Environment
from harness.environments.recipe import suite_sha256
from harness.host import machine
from harness.inventory import tasks
from harness.meters import Meters
from harness.planning import plan
from harness.records import CampaignRecord, Finding, Plan, PlannedRun


@dataclass(frozen=True)
class PlannedCampaign:
    """Everything a campaign needs; `environments` by framework and version, all prepared."""

    folder: Path
    plan: Plan
    environments: Mapping[tuple[str, str], Environment]
    meters: Meters
    findings: tuple[Finding, ...] = ()
    run_findings: tuple[Finding, ...] = ()  # said of every run to come
    weight_files: Mapping[str, Path] = field(default_factory=dict)  # by their SHA-256, for its beginning
    fail_fast: bool = False  # the first run that does not count ends the campaign
    ends_s: float | None = None  # CLOCK_MONOTONIC: nothing begins that would not be done by then
    proves: bool = False  # that the work is equal, when its turn comes: of a plan with turns
    identity: str = field(default_factory=lambda: uuid4().hex)  # of one that begins now
    cpus: machine.Cpus = field(default_factory=machine.share_cpus)

    @property
    def campaign_id(self) -> str:
        return self.folder.absolute().name

    @cached_property
    def order(self) -> tuple[PlannedRun, ...]:
        return plan.order(self.plan)

    @cached_property
    def made_by(self) -> str:
        """The version of the suite that carries it out now."""
        return version.told()

    @property
    def first_block(self) -> int:
        """Of those that are carried out here: before it, the machine is warmed up and seen at rest."""
        return min((one.block for one in self.order if one.block), default=1)

    def write_states(self, states: Path) -> Mapping[str, str]:
        """What runs begin with that the campaign does not train itself; the SHA-256 of each."""
        return pretrained_states.write(states, self.plan, self.weight_files)

    @property
    def _datasets(self) -> dict[str, str]:
        """Name -> the SHA-256 of what it holds, where it is prepared."""
        names = sorted({one.dataset for one in self.plan.treatments})
        return {name: sha256 for name in names if (sha256 := prepared.content_sha256(name))}

    def record(self) -> CampaignRecord:
        """What campaign.json says, here and now."""
        return CampaignRecord(
            campaign_id=self.campaign_id,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            plan=self.plan,
            order=self.order,
            isolation=", ".join(sorted({e.isolation for e in self.environments.values()})),
            machine=machine.describe(),
            channels=self.meters.channels,
            unavailable=self.meters.unavailable,
            findings=self.findings,
            environments={" ".join(pair): one.describe() for pair, one in self.environments.items()},
            suite_sha256=suite_sha256(),
            made_by=self.made_by,
            identity=self.identity,
            tasks=tasks.to_keep(self.plan.treatments),
            datasets=self._datasets,
            weights=pretrained_states.kept(self.folder / store.STATES, self.plan),
        )
