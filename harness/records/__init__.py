"""The records on disk: immutable, validated, versioned. Units are in the names.

History of FORMAT_VERSION
1  first format
"""

from harness.records.base import FORMAT_VERSION, Boundary, Count, Record, UnitOfWork
from harness.records.campaign import (
    IMPORTED,
    CampaignRecord,
    DecidedRatio,
    MetricRecord,
    StageRecord,
    StopRecord,
    TaskRecord,
)
from harness.records.finding import Finding
from harness.records.metering import (
    DEFAULT_BOUNDARY,
    WALL,
    Channel,
    ChannelKind,
    PowerModel,
    Provenance,
    Unavailable,
)
from harness.records.plan import CoolDown, Limits, Opening, Plan, PlanRecord, Until
from harness.records.planned import PlannedRun, Profiler, Purpose, Skipped, Treatment
from harness.records.run import Outcome, RunRecord
from harness.records.source import SourceRecord

__all__ = [
    "DEFAULT_BOUNDARY",
    "FORMAT_VERSION",
    "IMPORTED",
    "WALL",
    "Boundary",
    "CampaignRecord",
    "Channel",
    "ChannelKind",
    "CoolDown",
    "Count",
    "DecidedRatio",
    "Finding",
    "Limits",
    "MetricRecord",
    "Opening",
    "Outcome",
    "Plan",
    "PlanRecord",
    "PlannedRun",
    "PowerModel",
    "Profiler",
    "Provenance",
    "Purpose",
    "Record",
    "RunRecord",
    "Skipped",
    "SourceRecord",
    "StageRecord",
    "StopRecord",
    "TaskRecord",
    "Treatment",
    "Unavailable",
    "UnitOfWork",
    "Until",
]
