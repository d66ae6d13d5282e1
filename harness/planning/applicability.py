"""Which combinations of mode, precision, framework and device there are; the others are left out with a reason."""

from __future__ import annotations

import shutil
import sysconfig
from collections.abc import Container, Iterable, Sequence
from pathlib import Path

from harness.datasets import prepared
from harness.devices import HOST, device, lacks_precision
from harness.environments.choose import Choice
from harness.environments.frameworks import Framework, framework, frameworks
from harness.errors import UsageError
from harness.inventory import abilities, specs
from harness.planning.plan_files import Value
from harness.records import Skipped, Treatment
from harness.suggest import unknown
from suite.neural import DEFAULT_MODE
from suite.spec import Spec

MODE, PRECISION = "mode", "precision"


def check_modes(levels: Iterable[Value]) -> None:
    """Raises: UsageError for a mode that no framework has, with the nearest name."""
    known = dict.fromkeys(mode for one in frameworks().values() for mode in one.modes)
    for level in levels:
        if level not in (DEFAULT_MODE, *known):
            raise UsageError(unknown("mode", str(level), known))


def divide(treatments: Sequence[Treatment], choice: Choice) -> tuple[list[Treatment], list[Skipped]]:
    """What can run, and what no environment of this choice can."""
    compiler = has_compiler(choice)
    reasons = [why_not(one, compiler) for one in treatments]
    trained = _trained(one for one, reason in zip(treatments, reasons, strict=True) if not reason)
    reasons = [reason or _no_state(one, trained) for one, reason in zip(treatments, reasons, strict=True)]
    pairs = list(zip(treatments, reasons, strict=True))
    kept = [one for one, reason in pairs if not reason]
    return kept, [Skipped(treatment=one, reason=reason, inherent=True) for one, reason in pairs if reason]


def why_not(treatment: Treatment, compiler: bool) -> str:
    """Why a treatment cannot be, empty where it can; `compiler`: there is one of C++ where it would run."""
    one = framework(treatment.framework)
    able = abilities.of(one.name)
    if not able.has(treatment.stage):
        return f"{one.name} has no stage {treatment.stage}; it has {', '.join(able.stages)}"
    if reason := _no_training(treatment):
        return reason
    if reason := _no_image(treatment):
        return reason
    if reason := lacks_precision(treatment.device, str(treatment.settings.get(PRECISION))):
        return reason
    mode = str(treatment.settings.get(MODE, DEFAULT_MODE))
    return why_no_mode(one, mode, compiler) or why_no_loop(one, mode, specs.of(treatment))


def _trained(treatments: Iterable[Treatment]) -> set[str]:
    """The states that some framework of the plan can train."""
    return {specs.state_name(one) for one in treatments if abilities.of(one.framework).trains}


def _no_state(treatment: Treatment, trained: Container[str]) -> str:
    if not specs.needs_state(treatment) or specs.state_name(treatment) in trained:
        return ""
    return f"{treatment.framework} only infers, and nobody in the plan trains {treatment.workload}: add one who does"


def _no_image(treatment: Treatment) -> str:
    """The host's is taken for granted: a user's own interpreter may hold a version that has none."""
    one, name = framework(treatment.framework), treatment.device
    version = treatment.version if treatment.version in one.versions else one.default_version
    having = one.devices(version)
    if name in (HOST, *having):
        return ""
    return f"{one.title} {version} has no image for {name} ({device(name).title}); it has {', '.join(having)}"


def _no_training(treatment: Treatment) -> str:
    """A smaller last batch is dropped: of one that is larger than the whole set nothing is left to train on.

    Or the set is larger than the spec takes, set as it is, or its test set smaller.
    """
    spec, samples = specs.of(treatment), prepared.train_samples(treatment.dataset)
    if spec is None or samples is None:
        return ""
    if spec.steps_per_epoch(samples) > 0:
        tests = prepared.test_samples(treatment.dataset)
        return spec.too_large(samples) or (spec.too_small(tests) if tests is not None else "")
    return (
        f"a batch of {spec.batch_size} is more than the {samples} samples of {treatment.dataset} to train on"
    )


def why_no_loop(one: Framework, mode: str, spec: Spec | None) -> str:
    """As why_not, of a mode that takes data from the device alone; `spec` None: nothing is known of it."""
    if mode not in one.modes_of_resident_data or spec is None or not spec.premade:
        return ""
    others = ", ".join(other for other in one.modes if other not in one.modes_of_resident_data)
    return f"{one.name} has no mode {mode} for {spec.name}, whose batches the host makes; it has {others}"


def why_no_mode(one: Framework, mode: str, compiler: bool) -> str:
    """As why_not, of a mode alone."""
    if mode not in (DEFAULT_MODE, *one.modes):
        return f"{one.name} has no mode {mode}; it has {', '.join(one.modes) or 'none'}"
    if mode in one.modes_needing_compiler and not compiler:
        remedy = "install g++ and python3-dev, or run in containers (suite doctor)"
        return f"mode {mode} of {one.name} needs a C++ compiler: {remedy}"
    return ""


def has_compiler(choice: Choice) -> bool:
    """Images have one where their framework has a mode that needs it; a user's interpreter may have its own headers."""
    if choice.kind in ("docker", "apptainer"):
        return True
    headers = choice.kind == "interpreter" or Path(sysconfig.get_path("include"), "Python.h").is_file()
    return headers and shutil.which("c++") is not None
