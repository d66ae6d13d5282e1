"""What a treatment stands for: its spec, NumPy and numbers, and its trained state, by name."""

from __future__ import annotations

import hashlib
import importlib
import json
import re
from functools import cache, lru_cache
from typing import Any

from harness import paths
from harness.records import Treatment
from suite.protocol import CONTROL, REHEARSAL
from suite.spec import SettingError, Spec
from suite.task import TRAIN

MACHINE_STAGES = (CONTROL, REHEARSAL)  # which compute nothing of a workload

MOST_KEPT = 1000  # specs that are set in some way
LONGEST_NAME, LONGEST_BEGINNING = 200, 120  # bytes; a file's name may have 255
PRETRAINED = "pretrained"  # the setting that names a file of weights by its SHA-256
FROM_FILE = "from-file-"  # how the name of weights begins that nobody has trained here
EXECUTION = ("mode", "precision")  # how the work is done: all infer from the state of the defaults


def of(treatment: Treatment) -> Spec | None:
    """As the treatment sets it; None of a workload, data set or setting that this checkout does not have."""
    return _set_so(treatment.workload, treatment.dataset, json.dumps(treatment.settings))


@lru_cache(maxsize=MOST_KEPT)
def _set_so(workload: str, dataset: str, settings: str) -> Spec | None:
    """By the settings as JSON, which tells 1 from true: a plan asks the same of each framework, stage and run."""
    spec = of_workload(workload)
    try:
        return spec and spec.with_dataset(dataset).with_settings(json.loads(settings))
    except SettingError:  # of a stranger's plan
        return None


def needs_state(treatment: Treatment) -> bool:
    """Whether it begins with weights that another run has trained: where the workload has a training at all."""
    spec = of(treatment)
    if treatment.stage in (TRAIN, *MACHINE_STAGES):
        return False
    return spec is None or (TRAIN in spec.stages and not (spec.pretrained and spec.infers_pretrained))


def begins_with_file(treatment: Treatment) -> bool:
    """Whether it begins with weights that a file gives: every training that names one, and what infers without any."""
    spec = of(treatment)
    computes = treatment.stage not in MACHINE_STAGES
    return spec is not None and bool(spec.pretrained) and computes and not needs_state(treatment)


def starting_state(treatment: Treatment) -> str | None:
    """The name of the weights that it is given; None where it draws them itself."""
    if needs_state(treatment):
        return state_name(treatment)
    return file_state(treatment) if begins_with_file(treatment) else None


def file_state(treatment: Treatment) -> str:
    """The name of the weights that a file gives it, or the training that it infers from."""
    return f"{FROM_FILE}{state_name(treatment)}"


@cache
def of_workload(name: str) -> Spec | None:
    known = {path.parent.name for path in paths.SUITE.glob("*/spec.py")}
    return importlib.import_module(f"suite.{name}.spec").SPEC if name in known else None


def state_name(treatment: Treatment) -> str:
    """The trained state of a treatment: the same for every framework, version, mode and precision."""
    settings = "-".join(f"{name}={value}" for name, value in sorted(settings_of_the_state(treatment).items()))
    name = "-".join(part for part in (treatment.workload, treatment.dataset, settings) if part)
    plain = re.sub(r"[^\w.=+-]", "_", name)  # of another's campaign, any text may be a setting
    if len(plain.encode()) <= LONGEST_NAME:
        return plain
    start = plain.encode()[:LONGEST_BEGINNING].decode(errors="ignore")
    return f"{start}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"


def settings_of_the_state(treatment: Treatment) -> dict[str, Any]:
    """The settings by which trained states differ."""
    spec = of_workload(treatment.workload)
    of_answers = spec.only_of_answers if spec else ()
    return {name: one for name, one in settings_of_its_training(treatment).items() if name not in of_answers}


def settings_of_its_training(treatment: Treatment) -> dict[str, Any]:
    """Of the run that trains its state: those that only answers depend on stay, for others may depend on them."""
    return {name: value for name, value in treatment.settings.items() if name not in EXECUTION}
