"""From what a user asks to a plan: profiles, the catalog and the versions that the environments offer."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness import catalog, plan
from harness.datasets import prepared, sources
from harness.environments.choose import Choice
from harness.environments.frameworks import Framework, framework, frameworks
from harness.errors import MissingPrerequisite, UsageError
from harness.plan import Candidate, Protocol, Selection
from harness.records import Plan, Skipped
from harness.suggest import unknown

PLANS = Path(__file__).parent / "plans"
DEFAULT_SEED = 20220


@dataclass(frozen=True)
class PlanRequest:
    """A user's wish. `versions` of the selected frameworks, "" for the default one; `repetitions` None takes the
    profile's."""

    profile: str
    selection: Selection
    seed: int
    repetitions: int | None
    versions: Mapping[str, Sequence[str]] = field(default_factory=dict)


def parse_framework(word: str) -> tuple[Framework, str]:
    """FRAMEWORK[@VERSION] -> framework and version, an empty one where the default is meant.

    Which versions there are depends on the environments: make_plan checks them.
    Raises: UsageError for an unknown framework, or an @ without a version.
    """
    name, at, version = word.partition("@")
    one = framework(name)
    if at and not version:
        raise UsageError(f"{word} names no version; offered: {', '.join(one.versions)}")
    return one, version


def parse_frameworks(words: Iterable[str]) -> dict[str, list[str]]:
    """FRAMEWORK[@VERSION]... -> {framework: versions}, each once. Raises: as parse_framework."""
    found: dict[str, dict[str, None]] = {}
    for one, version in map(parse_framework, words):
        found.setdefault(one.name, {})[version] = None
    return {name: list(versions) for name, versions in found.items()}


def protocol(profile: str) -> Protocol:
    """Raises: UsageError for a profile that is not there."""
    known = sorted(path.stem for path in PLANS.glob("*.toml"))
    if profile not in known:
        raise UsageError(unknown("profile", profile, known))
    return Protocol.model_validate(tomllib.loads((PLANS / f"{profile}.toml").read_text()))


def make_plan(request: PlanRequest, choice: Choice, skipped: tuple[Skipped, ...] = ()) -> Plan:
    """The plan of a wish; treatments of a skipped framework are kept apart with the reason.

    Raises: UsageError for unknown names and versions.
    """
    _check_names(request.selection)
    versions = {name: _versions(choice, name, request) for name in _wanted(request.selection)}
    candidates = [_candidate(one, request, choice, versions) for one in catalog.workloads().values()]
    chosen = plan.treatments(candidates, request.selection, prepared_names())
    left_out = [one.treatment for one in skipped]
    kept = [treatment for treatment in chosen if treatment not in left_out]
    return plan.make(
        request.profile, protocol(request.profile), kept, skipped, request.seed, request.repetitions
    )


def _check_names(selection: Selection) -> None:
    for name in selection.workloads:
        catalog.workload(name)
    for name in selection.frameworks:
        framework(name)


def _wanted(selection: Selection) -> list[str]:
    """The frameworks named, else all but variants of others."""
    return list(selection.frameworks) or [name for name, one in frameworks().items() if not one.variant]


def _candidate(
    workload: catalog.Workload, request: PlanRequest, choice: Choice, versions: Mapping[str, Sequence[str]]
) -> Candidate:
    own = {name: versions[name] for name in workload.frameworks if name in versions}
    devices = {
        (name, version): choice.device_of(framework(name), version)
        for name, several in own.items()
        for version in several
    }
    profile = workload.profile(request.profile)
    return Candidate(workload.name, own, workload.spec.stages, profile, devices)


def _versions(choice: Choice, name: str, request: PlanRequest) -> list[str]:
    """None for a framework that the user's interpreter lacks and that was not asked for by name."""
    asked = request.versions.get(name, [""])
    try:
        return list(dict.fromkeys(choice.version(framework(name), version) for version in asked))
    except MissingPrerequisite:
        if name in request.selection.frameworks:
            raise
        return []


def prepared_names() -> set[str]:
    """Data sets at hand: the prepared ones and the embedded ones."""
    return {name for name, one in sources().items() if not one.files or prepared.is_prepared(name)}
