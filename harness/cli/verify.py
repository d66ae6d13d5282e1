"""suite verify: the proof that all implementations of a workload do the same work."""

from __future__ import annotations

from collections.abc import Iterator

import click

from harness import applicability, catalog, planning
from harness.cli import proofs_told, screen
from harness.conformance import certificate
from harness.conformance.proving import Able, Place, prove
from harness.environments.base import Environment
from harness.environments.choose import Choice, choose
from harness.environments.frameworks import framework
from harness.errors import MissingPrerequisite, UsageError


@click.command("verify")
@click.argument("workloads", nargs=-1, metavar="[WORKLOAD]...")
@click.option("-f", "--framework", "frameworks", multiple=True, metavar="NAME[@VERSION]", help="Only these.")
@click.option("--environment", default="auto", show_default=True, help="auto, docker, virtualenv.")
@click.option("--device", default="cpu", show_default=True, type=click.Choice(["auto", "cpu", "cuda"]))
@click.option("--modes", is_flag=True, help="Every mode of each framework too, in float64.")
@click.option("--json", "as_json", is_flag=True, help="Every check, as JSON.")
def command(
    workloads: tuple[str, ...],
    frameworks: tuple[str, ...],
    environment: str,
    device: str,
    modes: bool,
    as_json: bool,
) -> int:
    """Runs every implementation from the same weights over the same batches, and compares what they compute.

    Parameter counts, logits, gradients of the first step, the losses of as many steps as the workload's spec names,
    and the measured `train` against the single `step`; in float64 to the last digits, in float32 to rounding. Exit
    code 1 if anything differs.
    """
    if as_json:
        screen.leave_stdout_to_machines()
    choice, asked = choose(environment, device), planning.parse_frameworks(frameworks)
    found = [proof for name in _provable(workloads) for proof in _prove(name, choice, asked, modes)]
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
        if not certificate.provable(name):
            raise UsageError(f"{name} has one implementation: there is nothing to compare it with")
    return list(names) or [name for name in catalog.workloads() if certificate.provable(name)]


def _prove(
    workload: str, choice: Choice, asked: dict[str, list[str]], modes: bool
) -> list[certificate.Proof]:
    ready = _environments(workload, choice, asked)
    if len(ready) < 2:
        raise MissingPrerequisite(
            f"{workload}: two frameworks are needed to compare, {len(ready)} could be prepared"
        )
    able = {
        place: Able(one, tuple(_modes(place[0], choice)) if modes else ()) for place, one in ready.items()
    }
    return list(prove(workload, able, choice.device, screen.say))


def _modes(name: str, choice: Choice) -> Iterator[str]:
    """Those that can run in these environments; of the others it is said why not."""
    for mode in framework(name).modes:
        if reason := applicability.why_no_mode(framework(name), mode, applicability.has_compiler(choice)):
            screen.say(f"left out: {reason}")
        else:
            yield mode


def _environments(workload: str, choice: Choice, asked: dict[str, list[str]]) -> dict[Place, Environment]:
    """Those asked for must stand; of the others, what can be prepared here."""
    able = catalog.workload(workload).frameworks
    wanted = asked or {name: [""] for name in able if not framework(name).variant}
    ready: dict[Place, Environment] = {}
    for name, versions in wanted.items():
        if name not in able:
            raise UsageError(f"{workload} has no implementation for {name}; it has {', '.join(able)}")
        for version in versions:
            _prepare(ready, choice, name, version, must=name in asked)
    return ready


def _prepare(ready: dict[Place, Environment], choice: Choice, name: str, version: str, must: bool) -> None:
    try:
        chosen = choice.version(framework(name), version)
        environment = choice.environment(framework(name), chosen)
        environment.prepare()
        ready[name, chosen] = environment
    except MissingPrerequisite as error:
        if must:
            raise
        screen.say(f"left out: {error}")
