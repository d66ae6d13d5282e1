"""What `suite verify` does: prepares the environments, proves, keeps the certificate and tells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from harness.campaign import machine_lock, preparation
from harness.cli import proofs_told, screen
from harness.conformance import asked, certificate
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
    plan, environments = _prepared(request, choice)
    treatments = [*plan.treatments, *(_in_modes(plan.treatments, choice) if modes else ())]
    with machine_lock.hold(None):
        found = _prove(treatments, environments, kinds)
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


def _prepared(request: planner.PlanRequest, choice: Choice) -> tuple[Plan, Environments]:
    """Raises: UsageError for a framework that has no implementation, MissingPrerequisite for one that is not here."""
    for name in request.selection.workloads:
        able = catalog.workload(name).frameworks
        for other in request.selection.frameworks:
            if other not in able:
                raise UsageError(f"{name} has no implementation for {other}; it has {', '.join(able)}")
    plan = planner.make_plan(request, choice)
    preparation.datasets(plan, screen.say)
    ready = preparation.environments(plan, choice, request.selection.frameworks, screen.say)
    return planner.make_plan(request, choice, ready.skipped), ready.environments


def _prove(treatments: Sequence[Treatment], environments: Environments, kinds: Sequence[str]) -> list[Proof]:
    """Of these kinds, or all."""
    wanted = asked.all_of(treatments)
    if not wanted:
        raise MissingPrerequisite("two frameworks are needed to compare")
    if kinds:
        wanted = asked.of_kinds(wanted, kinds)
    if not wanted:
        raise UsageError(f"nothing of this has a proof of kind {' or '.join(kinds)}: leave --kind out")
    return prove(wanted, list(wanted), environments, screen.say)


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
