"""suite verify: the proof that all implementations of a workload do the same work."""

from __future__ import annotations

from typing import Any

import click

from harness.cli import completing, selecting
from harness.cli.one_of import OneOf
from harness.devices import AUTO, DEVICES, HOST


@click.command("verify")
@click.argument("workloads", nargs=-1, metavar="[WORKLOAD]...", shell_complete=completing.workloads)
@click.option(
    "-f",
    "--framework",
    "frameworks",
    multiple=True,
    metavar="NAME[@VERSION]",
    shell_complete=completing.frameworks,
    help="Only these.",
)
@selecting.profile("standard")
@click.option("--environment", default="auto", show_default=True, help="auto, docker, apptainer, virtualenv.")
@click.option(
    "--device", default=HOST, show_default=True, type=OneOf([AUTO, *DEVICES]), help="Where it is computed."
)
@click.option("--modes", is_flag=True, help="Every mode of each framework, too.")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=OneOf(["exact", "long", "own", "answers"]),
    help="Only this kind of proof: exact is float64, the quickest; long is many steps in float32; own is as it is "
    "measured; answers is of who only infers, or from a file.",
)
@click.option("--json", "as_json", is_flag=True, help="Every check, as JSON.")
def command(**asked: Any) -> int:
    """Runs every implementation from the same weights over the same batches, and compares what they compute.

    Parameter counts, outputs, gradients of the first step; then some epochs: the losses of each step, the measured
    `train` against the single `step`, the weights, and the answers. In float64 to the last digits; in float32 over many
    steps, and with the profile's own batch, data and settings. Exit code 1 if anything differs.
    """
    from harness.cli import verified  # pydantic and SciPy: no help waits for them

    return verified.verify(**asked)
