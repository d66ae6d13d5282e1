"""The steps of a campaign on its machine, from its start, or its resumption, until it ends or breaks off."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count, cycle
from pathlib import Path
from typing import Protocol

from harness import store
from harness.campaign import anonymous_run, begun, cool_down, profiled, trained_states
from harness.campaign.equipment import Equipment
from harness.campaign.execution import Execution
from harness.campaign.planned import PlannedCampaign
from harness.checks.results_told import WITHOUT_RESULTS
from harness.datasets import prepared
from harness.findings.codes import Code
from harness.host import machine
from harness.inventory import catalog, specs
from harness.records import (
    DecidedRatio,
    Finding,
    Outcome,
    PlannedRun,
    Profiler,
    Provenance,
    Purpose,
    RunRecord,
    Treatment,
)
from harness.sampling import reading
from harness.sampling.client import Sampler, SamplerLost
from harness.worker.run_folder import OUTPUT_FILE
from suite.protocol import REHEARSAL, Event
from suite.spec import Spec


class Observer(Protocol):
    """What a screen wants to know."""

    def run_started(self, planned: PlannedRun) -> None: ...

    def run_event(self, event: Event) -> None: ...

    def run_finished(self, record: RunRecord) -> None: ...

    def waiting(self, what: str) -> None:
        """No run is under way, for this reason."""

    def power(self, power_w: float | None, provenance: Provenance | None) -> None:
        """Of the run under way, over the last seconds; None is unknown."""

    def looked(self, ratios: Sequence[DecidedRatio]) -> None:
        """Where verdicts are looked for under way: how these stand by now."""

    def note(self, words: str) -> None:
        """What else is done, or left out."""


@dataclass(frozen=True)
class Steps:
    """A campaign, with the sampler that runs beside it and whoever watches."""

    campaign: PlannedCampaign
    sampler: Sampler
    observer: Observer

    def take_baseline(self, block: int) -> None:
        """The idle machine, once before each block (rule R25), where a meter of the machine can see it.

        If the sampler dies meanwhile, it is taken before the block's next run; without any, the net is unknown.
        """
        path = store.baseline_path(self.campaign.folder, block)
        if block == 0 or path.exists() or not self.campaign.meters.see_the_idle_machine:
            return
        self._come_to_rest()  # from the run before, and from an adaptive look; the run to come says if it has not
        self.observer.waiting("baseline")
        with suppress(SamplerLost):
            self.sampler.begin(path)
            time.sleep(self.campaign.plan.baseline_s)
            self.sampler.end()

    def warm_up(self) -> None:
        """Rehearsals, then training runs of the plan until the machine has worked for long enough (rule R23).

        Recorded and excluded. A run that does not count ends it: the runs to come will say why.
        """
        self._rehearse()
        end_s = time.monotonic() + self.campaign.plan.warm_up_s
        first = self.campaign.first_block
        runs = cycle(
            one for one in self.campaign.order if one.block <= first and one.treatment.stage == "train"
        )
        while time.monotonic() < end_s and (planned := next(runs, None)):
            if self._warm_up_run(planned, planned.treatment).outcome is not Outcome.OK:
                return

    def _rehearse(self) -> None:
        """Every framework is imported and every data set read once, so that no run is the first to read a disk."""
        if not self.campaign.plan.rehearse:
            return
        firsts = {(t.framework, t.version, t.dataset): t for t in reversed(self.campaign.plan.treatments)}
        for treatment in firsts.values():
            rehearsal = treatment.model_copy(update={"stage": REHEARSAL})
            self._warm_up_run(self.campaign.order[0], rehearsal)

    def _warm_up_run(self, planned: PlannedRun, treatment: Treatment) -> RunRecord:
        runs = self.campaign.folder / store.RUNS
        names = (f"{Purpose.WARM_UP}-{number:03d}" for number in count(1))
        run_id = next(name for name in names if not (runs / name).exists())
        again = {"run_id": run_id, "block": 0, "purpose": Purpose.WARM_UP, "treatment": treatment}
        return self.run(planned.model_copy(update=again))

    def cool_down(self) -> tuple[Finding, ...]:
        """Waits as the plan says, then until the machine has come to rest."""
        if self.campaign.plan.idle_s:
            self.observer.waiting("pause")
            time.sleep(self.campaign.plan.idle_s)
        return self._come_to_rest()

    @property
    def _first_baseline(self) -> Path:
        return store.baseline_path(self.campaign.folder, self.campaign.first_block)

    def _come_to_rest(self) -> tuple[Finding, ...]:
        """Waits for the machine to be as it was at rest before the first block; without the sampler for nothing."""
        rule, path = self.campaign.plan.cool_down, self._first_baseline
        if rule.at_most_s <= 0 or not path.exists():
            return ()
        channels = self.campaign.meters.channels
        self.observer.waiting("cooling down")
        rest = cool_down.rest_of(reading.read(path, channels), channels)
        try:
            return tuple(cool_down.wait(self.sampler.look, channels, rest, rule))
        except SamplerLost as error:
            return (_rest_unseen(error),)

    def run(self, planned: PlannedRun, findings: tuple[Finding, ...] = ()) -> RunRecord:
        """One run, from its start to its place among the stored ones; `findings` hold before it has begun."""
        self.observer.run_started(planned)
        apart = self.campaign.folder / store.UNFINISHED / planned.run_id
        execution = Execution(planned, self._equipment(planned, apart, findings))
        if (state := self._beginning(planned.treatment)) and not _is_own_file(state):
            record = execution.not_applicable(_no_state(planned.treatment))
        else:
            record = execution.carry_out()
        if record.outcome is Outcome.FAILED:  # for want of disk: not its own failure, it is made again
            machine.require_space(self.campaign.folder, 1)
        record = self._keep_state(record, apart)
        if begun.is_anonymous(self.campaign.folder):
            record = anonymous_run.cleaned(self.campaign.folder, apart, record)
        store.store_run(self.campaign.folder, apart, record)
        self.observer.run_finished(record)
        return record

    def _equipment(self, planned: PlannedRun, apart: Path, findings: tuple[Finding, ...]) -> Equipment:
        treatment, campaign = planned.treatment, self.campaign
        return Equipment(
            campaign_id=campaign.campaign_id,
            environment=campaign.environments[treatment.framework, treatment.version],
            meters=campaign.meters,
            folder=apart.absolute(),
            data=prepared.folder(treatment.dataset),
            state=state.absolute() if (state := self._beginning(treatment)) else None,
            cpus=campaign.cpus.workload,
            seed=campaign.plan.seed,
            sampler=self.sampler,
            timeout_s=campaign.plan.run_timeout_s,
            metric=_spec(treatment).metrics_of(treatment.stage)[0] if _has_quality(treatment) else None,
            quality_floor=_spec(treatment).floor_of(treatment.stage) if _has_quality(treatment) else {},
            limits=campaign.plan.limits,
            keep_state=planned.purpose == Purpose.PREPARE,
            profiled=planned.looked_at,
            native=planned.profiler is Profiler.NATIVE,
            profiler=profiled.within(planned),
            made_by=campaign.made_by,
            campaign_identity=begun.record_of(campaign.folder).identity,
            findings=campaign.run_findings + findings,
            on_event=self.observer.run_event,
            on_power=self.observer.power,
        )

    def _beginning(self, treatment: Treatment) -> Path | None:
        """The weights that a run is given; None where it draws them."""
        name = specs.starting_state(treatment)
        return self._state(name) if name else None

    def _state(self, name: str) -> Path:
        return self.campaign.folder / store.STATES / f"{name}.npz"

    def _keep_state(self, record: RunRecord, apart: Path) -> RunRecord:
        """What a preparation run that came to its end left behind is the state for stage infer, else nothing is.

        Left behind was whatever the worker liked: what is no state is that run's failure, not its readers'.
        """
        left = apart / OUTPUT_FILE
        if left.exists() and record.outcome is not Outcome.FAILED:
            if wrong := trained_states.problem(left, _shapes(record.planned.treatment)):
                record = record.model_copy(update={"outcome": Outcome.FAILED, "reason": wrong})
            else:
                left.chmod(0o644)  # whatever the umask: a worker may be another user
                left.replace(self._state(specs.state_name(record.planned.treatment)))
        left.unlink(missing_ok=True)
        return record


def _shapes(treatment: Treatment) -> trained_states.Shapes | None:
    """Of the arrays that every implementation begins with and leaves behind; None where fitting makes them."""
    spec = specs.of(treatment)
    return (spec.shapes_of_weights if spec else {}) or None


def _no_state(treatment: Treatment) -> str:
    if specs.needs_state(treatment):
        return "there is no trained state: its preparation run failed"
    return "its weights are no longer in the campaign's folder: somebody removed them"


def _rest_unseen(error: SamplerLost) -> Finding:
    return Finding.of(Code.COOL_DOWN_UNSEEN, f"nobody saw whether the machine had come to rest: {error}")


def _is_own_file(path: Path) -> bool:
    """It will be mounted into a container, and a mount follows links."""
    return path.is_file() and not path.is_symlink()


def _has_quality(treatment: Treatment) -> bool:
    """A control run and a rehearsal compute nothing that has one."""
    return treatment.stage not in WITHOUT_RESULTS


def _spec(treatment: Treatment) -> Spec:
    return catalog.workload(treatment.workload).spec
