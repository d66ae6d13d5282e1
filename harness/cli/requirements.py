"""--require: what a user will not do without."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from harness import meters
from harness.devices import GPUS
from harness.environments import docker, gpu
from harness.errors import MissingPrerequisite, UsageError
from harness.findings.codes import Code
from harness.planning import planner
from harness.records import Finding, Unavailable
from harness.suggest import unknown


def _docker(findings: Sequence[Finding]) -> str | None:
    return docker.available()


def _gpu(findings: Sequence[Finding]) -> str | None:
    """Any GPU will do; without one, what the likeliest device lacks."""
    lacking = [reason for one in GPUS if (reason := gpu.why_not(one))]
    return lacking[0] if len(lacking) == len(GPUS) else None


def _rapl(findings: Sequence[Finding]) -> str | None:
    power_model = planner.protocol("quick").power_model
    answer = meters.rapl.find(meters.configuration(power_model))
    return f"{answer.reason}; {answer.remedy}" if isinstance(answer, Unavailable) else None


def _data(findings: Sequence[Finding]) -> str | None:
    missing = [f"{one.message}; {one.advice}" for one in findings if one.code == Code.DATA_NOT_PREPARED]
    return missing[0] if missing else None


def _verified(findings: Sequence[Finding]) -> str | None:
    missing = [f"{one.message}; {one.advice}" for one in findings if one.code == Code.NOT_VERIFIED]
    return missing[0] if missing else None


CHECKS: dict[str, Callable[[Sequence[Finding]], str | None]] = {
    "docker": _docker,
    "gpu": _gpu,
    "rapl": _rapl,
    "data": _data,
    "verified": _verified,
}


def require_known(required: str) -> None:
    """Raises: UsageError for a word of this comma-separated list that is none of CHECKS."""
    for name in filter(None, required.split(",")):
        if name not in CHECKS:
            raise UsageError(unknown("requirement", name, CHECKS))


def check(required: str, findings: Sequence[Finding]) -> None:
    """`required` is a comma-separated list of known words.

    Raises: MissingPrerequisite for the first that this machine lacks.
    """
    for name in filter(None, required.split(",")):
        if (reason := CHECKS[name](findings)) is not None:
            raise MissingPrerequisite(f"{name} is required: {reason}")
