"""The options that say who carries a campaign out: this machine, or a cluster's nodes by Slurm."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from harness.cli.one_of import OneOf
from harness.cluster import places
from harness.errors import UsageError

LOCAL, SLURM = "local", "slurm"
OF_SLURM = ("partition", "gres", "constraint", "account", "qos", "nodes", "time")
# What goes with one machine alone: option -> why.
NOT_WITH_SLURM = {
    "until": "nobody looks at ratios while nodes are under way",
    "budget": "say by --time what a block may take, and by -r how many there are",
    "profile_runs": "profile one machine: suite profile",
    "fail_fast": "blocks run side by side",
    "allow_stale": "each node takes the images that fit",
    "force_new_machine": "nodes of another hardware are never pooled",
    "anonymous": "the queue knows its nodes by name: suite export --anonymous, afterwards",
    "require": "say by --environment, --device, --gres and --constraint what the nodes must have",
}

_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--executor",
        default=LOCAL,
        show_default=True,
        type=OneOf([LOCAL, SLURM]),
        help="slurm: each block is a job on a whole node; all runs come into one campaign.",
    ),
    click.option("--partition", metavar="NAME", help="Slurm: of the nodes."),
    click.option("--gres", metavar="WHAT", help="Slurm: what a node must have, as gpu:1."),
    click.option("--constraint", metavar="FEATURES", help="Slurm: so that all nodes are of one hardware."),
    click.option("--account", metavar="NAME", help="Slurm: whose time it is."),
    click.option("--qos", metavar="NAME", help="Slurm: the quality of service."),
    click.option("--nodes", type=click.IntRange(1, 10_000), help="Slurm: as many work at once; default: one a block."),
    click.option("--time", metavar="TIME", help="Slurm: of a block, as 90, 1:30:00 or 1-12; default: by the plan."),
)  # fmt: skip


def options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command these options, in this order."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def on_slurm(given: dict[str, Any]) -> bool:
    """Whether Slurm shall carry it out, or does already. Raises: UsageError where options do not go together."""
    resumed = given["resume"]
    begun = resumed is not None and places.is_one(resumed)
    if given["executor"] == SLURM and resumed is not None and not begun:
        raise UsageError(f"{resumed} was begun on one machine, and goes on there: leave out --executor slurm")
    if begun or given["executor"] == SLURM:
        for name in (one for one in NOT_WITH_SLURM if given[one]):
            raise UsageError(
                f"--{name.replace('_', '-')} does not go with --executor slurm: {NOT_WITH_SLURM[name]}"
            )
        if given["log_format"] != "text":
            raise UsageError(
                "--log-format json does not go with --executor slurm: runs are under way on many nodes"
            )
        return True
    if alone := [f"--{name}" for name in OF_SLURM if given[name] is not None]:
        raise UsageError(f"{', '.join(alone)} goes with --executor slurm: add it, or leave that out")
    return False
