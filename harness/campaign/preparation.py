"""Everything that must stand before the first run: environments and data sets, checked."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass

import psutil

from harness import paths
from harness.datasets import prepared, source
from harness.datasets.base import is_at_hand
from harness.environments.base import Environment
from harness.environments.choose import Choice
from harness.environments.frameworks import framework
from harness.errors import MissingPrerequisite
from harness.records import Plan, Skipped

Say = Callable[[str], None]
Place = tuple[str, str]  # framework, version
AT_ONCE = 2  # environments; nothing is measured meanwhile


@dataclass(frozen=True)
class Prepared:
    """Environments by framework and version; what could not be prepared is left out of the plan, with the reason."""

    environments: Mapping[Place, Environment]
    skipped: tuple[Skipped, ...]


def environments(plan: Plan, choice: Choice, named: Iterable[str], say: Say) -> Prepared:
    """Prepares one environment per framework and version, two at a time: one is unpacked while the next is loaded.

    Raises: MissingPrerequisite if one that the user named, or every one, cannot be prepared.
    """
    places = sorted({(t.framework, t.version) for t in plan.treatments})
    ready: dict[Place, Environment] = {}
    reasons: dict[Place, str] = {}
    for (name, version), made in zip(places, _side_by_side(choice, places, {*named}, say), strict=True):
        if not isinstance(made, MissingPrerequisite):
            ready[name, version] = made
            continue
        reasons[name, version] = str(made)
        say(f"left out: {made}")
    if not ready:
        raise MissingPrerequisite("; ".join(reasons.values()))
    skipped = (
        Skipped(treatment=treatment, reason=reasons[place])
        for treatment in plan.treatments
        if (place := (treatment.framework, treatment.version)) in reasons
    )
    return Prepared(ready, tuple(skipped))


def _side_by_side(
    choice: Choice, places: Sequence[Place], named: Container[str], say: Say
) -> list[Environment | MissingPrerequisite]:
    """In their order. Ctrl-C ends the programs that install, which have left nothing whole behind.

    Raises: MissingPrerequisite at the first of `named` that cannot be prepared: the others need not be waited for.
    """
    with ThreadPoolExecutor(AT_ONCE) as pool:
        try:
            made = [pool.submit(_environment, choice, place, named, say) for place in places]
            ended, _ = wait(made, return_when=FIRST_EXCEPTION)
            for one in ended:
                one.result()  # the first that cannot be made, while others are still at it
            return [one.result() for one in made]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for program in psutil.Process().children(recursive=True):
                with suppress(psutil.NoSuchProcess):
                    program.terminate()
            raise


def _environment(
    choice: Choice, place: Place, named: Container[str], say: Say
) -> Environment | MissingPrerequisite:
    say(f"preparing {place[0]} {place[1]} ({choice.kind})")
    try:
        environment = choice.environment(framework(place[0]), place[1])
        environment.prepare()
    except MissingPrerequisite as error:
        if place[0] in named:
            raise
        return error
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
