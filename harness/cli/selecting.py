"""The options that say what is planned: -w, -f, -s and -r, the same for every command."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from harness.cli import completing
from harness.cli.known_words import DEFAULT_SEED, TOOLS
from harness.cli.one_of import OneOf
from harness.devices import AUTO, DEVICES
from harness.errors import UsageError
from harness.planning.plan_limits import MOST_RUNS

if TYPE_CHECKING:
    from harness.planning import planner
    from harness.records import Profiler

boundary = click.option(
    "--boundary",
    metavar="WHAT",
    help="Whose sum the energy is: default, wall, psys, or channels with commas between; default by profile.",
)

frameworks = click.option(
    "-f",
    "--framework",
    "frameworks",
    multiple=True,
    metavar="NAME[@VERSION]",
    shell_complete=completing.frameworks,
    help="Only this framework (repeatable; several versions of one run side by side).",
)

workloads = click.option(
    "-w",
    "--workload",
    "workloads",
    multiple=True,
    shell_complete=completing.workloads,
    help="Only this workload (repeatable).",
)

stages = click.option("-s", "--stage", "stages", multiple=True, help="Only this stage: train, infer, ...")


def profile(default: str) -> Callable[[Any], Any]:
    """--profile of a command that takes `default` where nobody says another."""
    return click.option(
        "--profile",
        default=default,
        show_default=True,
        shell_complete=completing.plans,
        help="Whose data and settings: quick, standard, a study's, or a plan's .toml file.",
    )


seed = click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    default=DEFAULT_SEED,
    show_default=True,
    help="Order, weights and batches.",
)

profile_tools = click.option(
    "--profile-tool",
    "profile_tools",
    multiple=True,
    type=OneOf(TOOLS),
    help="Of --profile-runs: so many under each of these (repeatable); py-spy where none is named.",
)

profile_runs = click.option(
    "--profile-runs",
    type=click.IntRange(0, MOST_RUNS),
    default=0,
    show_default=True,
    help="After all blocks, so many runs of each under the profiler (see: suite profile -h); never compared.",
)

pretrained_weights = click.option(
    "--pretrained",
    "pretrained",
    multiple=True,
    metavar="SHA256=FILE",
    help="Begin with the weights of this safetensors file (see: suite weights FILE); several are levels.",
)

device = click.option(
    "--device",
    default=AUTO,
    show_default=True,
    type=OneOf([AUTO, *DEVICES]),
    help="auto: GPUs where there are any.",
)

_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    workloads,
    frameworks,
    stages,
    pretrained_weights,
    boundary,
    click.option("-r", "--repetitions", type=click.IntRange(min=1), help="Blocks; default by profile."),
    seed,
)


def options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command these options, in this order."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def narrowing(command: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command that reads a campaign -w, -f and -s: less of it is told, as the whole has it."""
    for option in reversed((workloads, frameworks, stages)):
        command = option(command)
    return command


def request(profile: str, chosen: dict[str, Any]) -> planner.PlanRequest:
    """What these options ask for. Raises: UsageError for a framework that is not there."""
    from harness.planning import planner, pretrained  # pydantic: no help waits
    from harness.planning.plan import Selection

    versions = planner.parse_frameworks(chosen["frameworks"])
    selection = Selection(chosen["workloads"], tuple(versions), chosen["stages"])
    return planner.PlanRequest(
        profile,
        selection,
        chosen["seed"],
        chosen["repetitions"],
        versions,
        boundary=chosen["boundary"],
        pretrained=pretrained.parse(chosen["pretrained"]),
        profile_runs=chosen.get("profile_runs", 0),
        profile_tools=_profile_tools(chosen),
    )


def _profile_tools(chosen: dict[str, Any]) -> tuple[Profiler, ...]:
    """Each once. Raises: UsageError where there is nothing to do for them."""
    from harness.records import Profiler
    from harness.records.plan import BY_LOOKING

    named = tuple(dict.fromkeys(map(Profiler, chosen.get("profile_tools", ()))))
    if named and not chosen["profile_runs"]:
        raise UsageError("--profile-tool says by what runs are profiled: say how many, with --profile-runs")
    return named or BY_LOOKING
