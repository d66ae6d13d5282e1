"""The records on disk: immutable, validated, versioned. Units are in the names.

History of FORMAT_VERSION
1  first format
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from harness.devices import HOST
from harness.findings.codes import Code, Severity
from harness.findings.registry import MEANINGS
from suite.task import Direction

FORMAT_VERSION = 1
DEFAULT_BOUNDARY = "default"  # of the energy: what the meters add up unasked
WALL = "wall"  # the domain of what feeds the whole machine
IMPORTED = "imported"  # the isolation of a campaign that was read from other tools' files

Count = Annotated[int, Field(ge=0, lt=2**31)]
TimeNs = Annotated[int, Field(gt=-(2**63), lt=2**63)]
Boundary = Annotated[str, Field(min_length=1, max_length=1000, pattern=r"^[^\x00-\x1f\x7f]+$")]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 _.@/+-]{0,63}$")]
COUNTED_ANYWAY = {"step", "parameter", "epoch", "data_byte"}  # what a run tells beside its units of work


def _plain_unit(name: str) -> str:
    if name in COUNTED_ANYWAY or "_per_" in name:
        raise ValueError(
            f"'{name}' is no unit of work: it would be taken for something else that a run counts"
        )
    return name


UnitOfWork = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$"), AfterValidator(_plain_unit)]
FolderName = Annotated[str, Field(pattern=r"^[^./\x00-\x1f\x7f][^/\x00-\x1f\x7f]*$", max_length=200)]


class Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Outcome(StrEnum):
    OK = "ok"
    FAILED = "failed"
    INVALID = "invalid"
    NOT_APPLICABLE = "not-applicable"


class Purpose(StrEnum):
    """Why a run is made. All are recorded; `measure` alone is in figures."""

    MEASURE = "measure"
    PREPARE = "prepare"  # trains the state that stage infer loads
    CONTROL = "control"  # work that never changes, before each block
    WARM_UP = "warm-up"
    PROFILE = "profile"  # under a profiler, which changes what it measures


class Provenance(StrEnum):
    MEASURED = "measured"
    DERIVED = "derived"
    ESTIMATED = "estimated"
    SIMULATED = "simulated"


class ChannelKind(StrEnum):
    COUNTER = "counter"  # cumulative
    GAUGE = "gauge"  # instantaneous


class Channel(Record):
    """One series of a meter.

    `domain` says what it covers (cpu_package, dram, cpu_core, cpu_uncore, psys, process...); `wraps_at` is
    the range of a counter that wraps, in `unit`; `boundary` is true where the channel is one addend of the
    run's energy (never a parent and its child); `covers` names the domains whose energy lies inside this one's.
    """

    name: str
    meter: str
    unit: str
    kind: ChannelKind
    provenance: Provenance
    domain: str
    boundary: bool = False
    wraps_at: float | None = None
    update_s: float | None = None  # the sensor's own period, or what it averages over, where known
    update_jitter: float | None = None  # the standard deviation of that period, as a part of it
    resolution: float | None = None  # the smallest step of a reading, in `unit`
    covers: tuple[str, ...] = ()
    note: str = ""


class Unavailable(Record):
    """What this machine lacks, why, and what to do about it."""

    meter: str
    reason: str
    remedy: str


class Finding(Record):
    """A doubt that is told; other versions may have words of their own for `code` and `severity`."""

    code: Code | str = Field(union_mode="left_to_right")
    severity: Severity | str = Field(union_mode="left_to_right")
    message: str
    advice: str

    @classmethod
    def of(cls, code: Code, message: str, severity: Severity | None = None, advice: str = "") -> Finding:
        """The one way to make one. `severity`: where its code has several; `advice`: where more is known."""
        meaning = MEANINGS[code]
        asked = meaning.severities if severity is None else (severity,)
        if len(asked) != 1 or asked[0] not in meaning.severities:
            raise ValueError(f"{code} is {' or '.join(meaning.severities) or 'no finding'}: say which")
        return cls(code=code, severity=asked[0], message=message, advice=advice or meaning.advice)


class Treatment(Record):
    """One combination of factors."""

    workload: str
    framework: str
    version: str
    stage: str
    dataset: str
    device: str = HOST
    settings: dict[str, int | float | str] = {}

    @property
    def label(self) -> str:
        return f"{self.workload} {self.framework} {self.version} {self.stage}"


class PlannedRun(Record):
    """A treatment's place in the order. Preparation runs (block 0) train the state that stage infer loads."""

    run_id: FolderName
    block: Count
    position: Count
    repetition: Count
    treatment: Treatment
    purpose: Purpose | str = Field(Purpose.MEASURE, union_mode="left_to_right")


class Skipped(Record):
    """A treatment that this machine cannot run, kept with the reason.

    `inherent`: its framework, device or kind of environment has no such mode or precision; to lack it is no failure.
    """

    treatment: Treatment
    reason: str
    inherent: bool = False


class PowerModel(Record):
    """The stated model of the `estimate` meter: power_w = idle_w + busy_cpu_w x busy logical CPUs."""

    model_config = ConfigDict(allow_inf_nan=False)

    idle_w: float
    busy_cpu_w: float


class CoolDown(Record):
    """Rule R22: before a run, power and temperatures are back within these bands of the campaign's idle.

    For `at_least_s` on end, waited for `at_most_s` (0: not at all).
    """

    model_config = ConfigDict(allow_inf_nan=False)

    power_band: float = 0.05
    temperature_band_k: float = 3.0
    at_least_s: float = 10.0
    at_most_s: float = 0.0


class Limits(Record):
    """What a run may take of the machine; one that wants more has failed, with this as the reason.

    `memory_share` of the machine's memory, so that the machine itself keeps some; `scratch_bytes` and `scratch_files`
    in its /tmp, which lies in that memory; `output_bytes` of what it leaves behind.
    """

    memory_share: float = Field(default=0.9, gt=0, le=1)
    scratch_bytes: int = Field(default=1 << 30, ge=1 << 20)
    scratch_files: int = Field(default=1 << 16, ge=64)
    output_bytes: int = Field(default=1 << 30, ge=1)


class Until(Record):
    """When a campaign may stop before its last block, declared before its first run (rule R34).

    `looks`: after how many complete blocks the ratios to `reference` ("torch 2.13.0"; a group's first treatment where
    it lacks that) are looked at; `method`, `alpha` and `spending` are those of harness.analysis.sequential.
    """

    margin: float
    quantities: tuple[str, ...]
    reference: str
    method: str
    looks: tuple[int, ...]
    alpha: float
    spending: str


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
    boundary: Boundary = (
        DEFAULT_BOUNDARY  # whose sum the energy is: or "wall", "psys", channels with commas between
    )
    until: Until | None = None  # None: all `repetitions` blocks, which are the most there can be

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


class MetricRecord(Record):
    """A quality that a workload tells, as suite.task.Metric."""

    name: Name
    title: Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f]+$", max_length=64)]
    direction: Direction = Direction.HIGHER
    unit: Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f]*$", max_length=16)] = ""


class TaskRecord(Record):
    """What a workload is judged by, its run's quality first, and which units of work it counts."""

    metrics: Annotated[tuple[MetricRecord, ...], Field(min_length=1, max_length=64)]
    units: Annotated[tuple[UnitOfWork, ...], Field(max_length=16)]
    judged_on_host: Annotated[tuple[Name, ...], Field(max_length=64)] = ()  # of the metrics

    def metric(self, name: str) -> MetricRecord:
        """One that the task does not know is a plain number, of which more is better."""
        known = {one.name: one for one in self.metrics}
        return known.get(name) or MetricRecord(name=name, title=name)


class CampaignRecord(Record):
    """campaign.json: the plan carried out, on which machine, with which meters.

    `environments` maps "torch 2.13.0" to what is inside; `suite_sha256` is that of the workloads' sources; `tasks` are
    the workloads' (harness.inventory.tasks reads them, for campaigns of before, too).
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
    environments: dict[str, dict[str, Any]] = {}
    suite_sha256: str = ""
    tasks: dict[str, TaskRecord] = {}

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


class StopRecord(Record):
    """stop.json: after how many blocks an adaptive campaign had its answers, and which."""

    format_version: int = FORMAT_VERSION
    blocks: Count
    ratios: tuple[DecidedRatio, ...]


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
    conditions: dict[str, Any] = {}  # of the machine before the run (harness.host.conditions)
    facts: dict[str, Any] = {}  # of the worker's telling: versions, threads, mode; empty where it told none
    work: dict[str, Any] = {}  # what the worker did: samples, steps, parameters, flops_per_step, data_bytes
    judged: tuple[dict[str, float | None], ...] = ()  # of each evaluation, the metrics that the host judges
    judges: dict[str, str] = {}  # metric -> how the host judged it, as sacrebleu's signature
    sources: tuple[str, ...] = ()  # of an imported run: its files, as campaign.json names them
    findings: tuple[Finding, ...] = ()
