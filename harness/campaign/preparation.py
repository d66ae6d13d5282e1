"""Everything that must stand before the first run: environments and data sets, checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from harness import paths
from harness.datasets import prepared, source
from harness.datasets.base import is_at_hand
from harness.environments.base import Environment
from harness.environments.choose import Choice
from harness.environments.frameworks import framework
from harness.errors import MissingPrerequisite
from harness.records import Plan, Skipped

Say = Callable[[str], None]


@dataclass(frozen=True)
class Prepared:
    """Environments by framework and version; what could not be prepared is left out of the plan, with the reason."""

    environments: Mapping[tuple[str, str], Environment]
    skipped: tuple[Skipped, ...]


def environments(plan: Plan, choice: Choice, named: Iterable[str], say: Say) -> Prepared:
    """Prepares one environment per framework and version.

    Raises: MissingPrerequisite if one that the user named, or every one, cannot be prepared.
    """
    ready: dict[tuple[str, str], Environment] = {}
    reasons: dict[tuple[str, str], str] = {}
    for name, version in sorted({(t.framework, t.version) for t in plan.treatments}):
        say(f"preparing {name} {version} ({choice.kind})")
        try:
            ready[name, version] = _environment(choice, name, version)
        except MissingPrerequisite as error:
            if name in named:
                raise
            reasons[name, version] = str(error)
            say(f"left out: {error}")
    if not ready:
        raise MissingPrerequisite("; ".join(reasons.values()))
    skipped = (
        Skipped(treatment=treatment, reason=reasons[place])
        for treatment in plan.treatments
        if (place := (treatment.framework, treatment.version)) in reasons
    )
    return Prepared(ready, tuple(skipped))


def _environment(choice: Choice, name: str, version: str) -> Environment:
    environment = choice.environment(framework(name), version)
    environment.prepare()
    return environment


def datasets(plan: Plan, say: Say) -> None:
    """Prepares the embedded data sets and checks every file of all that the plan uses.

    Raises: DataError naming a damaged file and its checksum.
    """
    for name in sorted({treatment.dataset for treatment in plan.treatments}):
        if is_at_hand(source(name)) and not prepared.is_prepared(name):
            say(f"preparing the data set {name}")
            prepared.prepare(source(name), paths.data_home())
        prepared.verify(name)
