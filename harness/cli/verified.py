"""What `suite verify` does: prepares the environments, proves, keeps the certificate and tells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from harness.campaign import machine_lock, preparation
from harness.cli import proofs_told, screen
from harness.conformance import asked, certificate
from harness.conformance.asked import Asked, Place
from harness.conformance.kept_proofs import Proof
from harness.conformance.proving import Environments, prove
from harness.environments.choose import Choice, choose
from harness.environments.frameworks import framework
from harness.errors import MissingPrerequisite, UsageError
from harness.inventory import catalog
from harness.planning import applicability, planner
from harness.planning.plan import Selection
from harness.records import Plan, Treatment


def verify(
    workloads: tuple[str, ...],
    frameworks: tuple[str, ...],
    profile: str,
    environment: str,
    device: str,
    modes: bool,
    kinds: tuple[str, ...],
    as_json: bool,
) -> int:
    """0 if all of what was asked for computes the same, else 1."""
    if as_json:
        screen.leave_stdout_to_machines()
    choice, named = choose(environment, device), planner.parse_frameworks(frameworks)
    request = planner.PlanRequest(
        profile, Selection(tuple(_provable(workloads)), tuple(named)), planner.DEFAULT_SEED, 1, named
    )
    plan = _planned(request, choice)
    treatments = [*plan.treatments, *(_in_modes(plan.treatments, choice) if modes else ())]
    _wanted(treatments, kinds)  # refused here, not after the minutes that environments take
    environments = _prepared(plan, choice, request.selection.frameworks)
    with machine_lock.hold(None):
        found = _prove(_in(environments, treatments), environments, kinds)
    certificate.save(found)
    if as_json:
        click.echo(proofs_told.as_json(found))
    else:
        proofs_told.print_proofs(found)
    return 0 if all(proof.passed for proof in found) else 1


def _provable(names: tuple[str, ...]) -> list[str]:
    """Raises: UsageError for a workload that has a single implementation."""
    for name in names:
        catalog.workload(name)
        if not asked.provable(name):
            raise UsageError(f"{name} has one implementation: there is nothing to compare it with")
    return list(names) or [name for name in catalog.workloads() if asked.provable(name)]


def _planned(request: planner.PlanRequest, choice: Choice) -> Plan:
    """Raises: UsageError for a framework that has no implementation."""
    for name in request.selection.workloads:
        able = catalog.workload(name).frameworks
        for other in request.selection.frameworks:
            if other not in able:
                raise UsageError(f"{name} has no implementation for {other}; it has {', '.join(able)}")
    return planner.make_plan(request, choice)


def _prepared(plan: Plan, choice: Choice, named: Sequence[str]) -> Environments:
    """Raises: MissingPrerequisite for one of `named` that is not here."""
    preparation.datasets(plan, screen.say)
    return preparation.environments(plan, choice, named, screen.say).environments


def _in(environments: Environments, treatments: Sequence[Treatment]) -> list[Treatment]:
    return [one for one in treatments if (one.framework, one.version) in environments]


def _prove(treatments: Sequence[Treatment], environments: Environments, kinds: Sequence[str]) -> list[Proof]:
    """Of these kinds, or all. Raises: as _wanted."""
    wanted = _wanted(treatments, kinds)
    return prove(wanted, list(wanted), environments, screen.say)


def _wanted(treatments: Sequence[Treatment], kinds: Sequence[str]) -> dict[Place, list[Asked]]:
    """Raises: MissingPrerequisite where nothing is compared, UsageError where nothing is of these kinds."""
    wanted = asked.all_of(treatments)
    if not wanted:
        raise MissingPrerequisite("two frameworks are needed: name another by -f, or add --modes")
    chosen = asked.of_kinds(wanted, kinds) if kinds else wanted
    if not chosen:
        raise UsageError(f"nothing of this has a proof of kind {' or '.join(kinds)}: leave --kind out")
    return chosen


def _in_modes(treatments: Sequence[Treatment], choice: Choice) -> Iterator[Treatment]:
    """In those that can run in these environments; of the others it is said why not, once."""
    compiler, said = applicability.has_compiler(choice), set[str]()
    for one in treatments:
        for mode in framework(one.framework).modes:
            set_so = one.model_copy(update={"settings": {**one.settings, "mode": mode}})
            reason = applicability.why_not(set_so, compiler)
            if not reason:
                yield set_so
            elif reason not in said:
                said.add(reason)
                screen.say(f"left out: {reason}")
