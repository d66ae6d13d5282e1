"""What a workload's task is judged by and counted in, also where this checkout does not have the workload."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from harness.inventory import specs
from harness.records import CampaignRecord, MetricRecord, StageRecord, TaskRecord, Treatment
from suite.spec import Spec
from suite.task import CLASSIFICATION, SAMPLE, Metric


def _record(
    metrics: Iterable[Metric], units: Iterable[str], judged_on_host: Iterable[str] = ()
) -> TaskRecord:
    kept = tuple(MetricRecord(**vars(one)) for one in metrics)
    return TaskRecord(metrics=kept, units=tuple(units), judged_on_host=tuple(judged_on_host))


CLASSIFIED = _record(CLASSIFICATION, (SAMPLE,))


@dataclass(frozen=True)
class Tasks:
    """By workload: as kept with a campaign, else as this checkout's spec says, else a classification."""

    kept: Mapping[str, TaskRecord] = field(default_factory=dict)

    @classmethod
    def of(cls, record: CampaignRecord) -> Tasks:
        return cls(record.tasks)

    def task(self, workload: str) -> TaskRecord:
        return self.kept.get(workload) or here(workload) or CLASSIFIED

    def units(self, workloads: Iterable[str]) -> list[str]:
        """Of work that some of these count, beside samples."""
        found = (unit for name in dict.fromkeys(workloads) for unit in self.task(name).units)
        return [unit for unit in dict.fromkeys(found) if unit != SAMPLE]

    def promised(self, workload: str, stage: str) -> list[str]:
        """Units that a stage's runs had to count, beside samples: none in a campaign of before there were any."""
        if workload not in self.kept:
            return []
        return [unit for unit in self.kept[workload].units_of(stage) if unit != SAMPLE]


OF_THIS_CHECKOUT = Tasks()


def here(workload: str) -> TaskRecord | None:
    """As the spec of this checkout says; None where there is none."""
    spec = specs.of_workload(workload)
    return None if spec is None else of_spec(spec)


def of_spec(spec: Spec) -> TaskRecord:
    task = _record(spec.metrics, spec.units, spec.judged_on_host)
    return task.model_copy(update={"stages": _stages(spec)})


def _stages(spec: Spec) -> dict[str, StageRecord]:
    """Those that are not as the workload as a whole."""
    found = {
        stage: StageRecord(
            metrics=tuple(one.name for one in spec.metrics_of(stage)),
            units=spec.units_of(stage),
            parts=spec.parts.get(stage, ()),
        )
        for stage in spec.stages
    }
    usual = StageRecord(metrics=tuple(one.name for one in spec.metrics), units=spec.units)
    return {stage: one for stage, one in found.items() if one != usual}


def to_keep(treatments: Iterable[Treatment]) -> dict[str, TaskRecord]:
    """For a campaign's record."""
    found = {name: here(name) for name in dict.fromkeys(one.workload for one in treatments)}
    return {name: task for name, task in found.items() if task}
