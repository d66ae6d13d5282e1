"""Whether every pass of stage infer was computed: answers that were kept take no time. Pure.

A right answer to the same row may be handed out again in any order, and no number tells. But the evaluations after
training ask for the same answers, of weights that change in between: what takes a small part of their time was not
computed.

Nobody evaluates what a stage in parts answers: there the first pass tells how long the others take.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.devices import is_gpu
from harness.inventory.tasks import Tasks
from harness.records import Outcome, Purpose, Treatment
from harness.store import Run
from harness.worker.phases import Phase, passes, phases, windows

SHARE = 0.1  # of the fastest evaluation: the fastest sound passes took 0.35 to 2.7 of it, and looking them up 0.01
HOW_MUCH = ("epochs", "infer_passes")  # settings that change no single pass


def too_fast(runs: Sequence[Run]) -> dict[str, str]:
    """Run id -> why, of the measured runs of stage infer whose framework was trained in the same campaign.

    The fastest pass tells: some may have been computed, and the others looked up.
    """
    evaluated: dict[str, float] = {}
    for run in (one for one in runs if one.record.planned.purpose != Purpose.PROFILE):
        key = _key(run.record.planned.treatment)
        for seconds in _evaluations(run):
            evaluated[key] = min(seconds, evaluated.get(key, seconds))
    return {
        run.record.planned.run_id: f"a pass takes {pass_s:.2g} s, the same answers after training {least_s:.2g} s"
        for run in runs
        if run.record.outcome is Outcome.OK
        and run.record.planned.purpose == Purpose.MEASURE
        and (least_s := evaluated.get(_key(run.record.planned.treatment)))
        and (each_s := list(_seconds(run, run.record.planned.treatment.stage)))
        and len(each_s) > 1
        and (pass_s := min(each_s)) < SHARE * least_s
    }


def again_too_fast(runs: Sequence[Run], tasks: Tasks) -> dict[str, str]:
    """Run id -> why, of measured runs whose stage has parts: a pass is too fast for what the first one took.

    Not on a GPU, whose first pass may have loaded its kernels.
    """
    found = {}
    for run in runs:
        one = run.record.planned.treatment
        several = list(phases(run.events))
        first_s, *later_s = _passes_s(several, tasks.task(one.workload).parts(one.stage)) or [0.0]
        if later_s and min(later_s) < SHARE * first_s and not is_gpu(one.device):
            told = f"a pass takes {min(later_s):.2g} s, the first one {first_s:.2g} s"
            found[run.record.planned.run_id] = told
    return found


def _passes_s(several: Sequence[Phase], parts: Sequence[str]) -> list[float]:
    whole = passes([windows(several, name) for name in parts])
    return [(end_ns - begin_ns) / 1e9 for begin_ns, end_ns in whole]


def _key(one: Treatment) -> str:
    settings = sorted((name, str(value)) for name, value in one.settings.items() if name not in HOW_MUCH)
    return repr((one.workload, one.dataset, one.framework, one.version, one.device, settings))


def _evaluations(run: Run) -> list[float]:
    """Of a GPU without the first one, which may have loaded its kernels: sound passes need not take as long."""
    seconds = list(_seconds(run, "evaluate"))
    return seconds[1:] if is_gpu(run.record.planned.treatment.device) else seconds


def _seconds(run: Run, phase: str) -> Iterator[float]:
    """Of each such phase."""
    return ((end_ns - begin_ns) / 1e9 for name, _, begin_ns, end_ns in phases(run.events) if name == phase)
