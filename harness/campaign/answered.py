"""What a run left to be judged on the host: taken in, judged and kept with the run."""

from __future__ import annotations

from collections.abc import Sequence

from harness.campaign.equipment import Equipment
from harness.checks.results_told import WITHOUT_RESULTS
from harness.inventory import specs
from harness.judges import answers, judging
from harness.judges.judging import Judged
from harness.records import Treatment
from harness.store import ANSWERS_FILE
from harness.worker import judged as judged_events
from harness.worker import run_folder
from suite.protocol import Event


def is_judged(treatment: Treatment) -> bool:
    """Whether the host judges what the runs of a treatment answer."""
    spec = specs.of(treatment)
    return spec is not None and bool(spec.judged_on_host) and treatment.stage not in WITHOUT_RESULTS


def judged(treatment: Treatment, equipment: Equipment, told: Sequence[Event]) -> Judged:
    """Once it has ended; what cannot be read is not kept."""
    spec = specs.of(treatment)
    if spec is None or not is_judged(treatment):
        return Judged()
    left = equipment.folder / run_folder.ANSWERS_FILE
    found = judging.judged(left, spec, equipment.data, judged_events.evaluations(told))
    left.unlink(missing_ok=True)
    if found.answers:
        answers.keep(found.answers, equipment.folder / ANSWERS_FILE)
    return found
