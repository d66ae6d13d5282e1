"""campaign.json, and stop.json of an adaptive one."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, ValidationInfo, field_validator

from harness.records.base import FORMAT_VERSION, Count, Identity, Name, Record, Sha256, UnitOfWork
from harness.records.finding import Finding
from harness.records.metering import Channel, Unavailable
from harness.records.plan import Plan, PlanRecord
from harness.records.planned import PlannedRun, Work
from harness.records.source import SourceRecord
from suite.task import Direction

IMPORTED = "imported"  # the isolation of a campaign that was read from other tools' files


class MetricRecord(Record):
    """A quality that a workload tells, as suite.task.Metric."""

    name: Name
    title: Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f]+$", max_length=64)]
    direction: Direction = Direction.HIGHER
    unit: Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f]*$", max_length=16)] = ""


class StageRecord(Record):
    """What a stage tells of all that its workload has, the quality of its runs first, and the parts that it has."""

    metrics: Annotated[tuple[Name, ...], Field(min_length=1, max_length=64)]
    units: Annotated[tuple[UnitOfWork, ...], Field(max_length=16)]
    parts: Annotated[tuple[Name, ...], Field(max_length=16)] = ()


class TaskRecord(Record):
    """What a workload is judged by, its run's quality first, and which units of work it counts.

    `stages`: those that tell less than all of it, or have parts.
    """

    metrics: Annotated[tuple[MetricRecord, ...], Field(min_length=1, max_length=64)]
    units: Annotated[tuple[UnitOfWork, ...], Field(max_length=16)]
    judged_on_host: Annotated[tuple[Name, ...], Field(max_length=64)] = ()  # of the metrics
    stages: Annotated[dict[Name, StageRecord], Field(max_length=16)] = Field(default_factory=dict)

    def units_of(self, stage: str) -> tuple[str, ...]:
        return self.stages[stage].units if stage in self.stages else self.units

    def parts(self, stage: str) -> tuple[str, ...]:
        return self.stages[stage].parts if stage in self.stages else ()

    def metric(self, name: str) -> MetricRecord:
        """One that the task does not know is a plain number, of which more is better."""
        known = {one.name: one for one in self.metrics}
        return known.get(name) or MetricRecord(name=name, title=name)


class CampaignRecord(Record):
    """campaign.json: the plan carried out, on which machine, with which meters.

    `environments` maps "torch 2.13.0" to what is inside; `suite_sha256` is that of the workloads' sources; `tasks` are
    the workloads' (harness.inventory.tasks reads them, for campaigns of before, too). `datasets` maps the name of each
    data set to the SHA-256 of what it holds, where it was prepared; `weights` that of each state which a file gave to
    that state's: of the file, `pretrained` among the settings tells. `sources`: the campaigns that were merged into
    this one (harness.merging), in the order of their blocks; none of one that a machine carried out. `made_by`: the
    version of the suite, with its commit where that is known; campaigns of before do not tell. `identity`: drawn once,
    for names are not unique; each of its runs has it, too (none in campaigns of before).
    """

    format_version: int = FORMAT_VERSION
    campaign_id: str
    created: str
    plan: Annotated[Plan | PlanRecord, Field(union_mode="left_to_right")]
    order: tuple[PlannedRun, ...]
    isolation: str
    machine: dict[str, Any]
    channels: tuple[Channel, ...]
    unavailable: tuple[Unavailable, ...]
    findings: tuple[Finding, ...] = ()
    environments: dict[str, dict[str, Any]] = Field(default_factory=dict)
    suite_sha256: str = ""
    tasks: dict[str, TaskRecord] = Field(default_factory=dict)
    datasets: dict[str, Sha256] = Field(default_factory=dict)
    weights: dict[str, Sha256] = Field(default_factory=dict)
    sources: tuple[SourceRecord, ...] = ()
    made_by: Annotated[str, Field(max_length=200, exclude_if=lambda told: not told)] = ""
    identity: Annotated[Identity, Field(exclude_if=lambda told: not told)] = ""

    @field_validator("isolation")
    @classmethod
    def _imported_where_the_plan_leaves_something_open(cls, isolation: str, told: ValidationInfo) -> str:
        plan = told.data.get("plan")
        if isolation != IMPORTED and isinstance(plan, PlanRecord) and not isinstance(plan, Plan):
            raise ValueError("the plan leaves open what only an imported campaign's may, as its seed")
        return isolation


class DecidedRatio(Record):
    """One ratio at the look that decided it, with its interval adjusted for all looks; null where it has none."""

    workload: str
    dataset: str
    stage: str
    device: str
    settings: str
    treatment: str
    reference: str
    quantity: str
    decision: str
    verdict: str
    blocks: int
    ratio: float
    low: float | None
    high: float | None

    @property
    def work(self) -> Work:
        return self.workload, self.dataset, self.stage, self.device, self.settings


class StopRecord(Record):
    """stop.json: after how many blocks an adaptive campaign had its answers, and which."""

    format_version: int = FORMAT_VERSION
    blocks: Count
    ratios: tuple[DecidedRatio, ...]
