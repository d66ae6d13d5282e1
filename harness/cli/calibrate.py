"""suite calibrate: a null campaign, which tells the smallest difference that this machine can resolve."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from harness.cli import completing, known_words, selecting
from harness.cli.one_of import format_option


@click.command("calibrate")
@click.option(
    "-w",
    "--workload",
    default="mnist_mlp",
    show_default=True,
    shell_complete=completing.workloads,
    help="What is measured against itself.",
)
@click.option(
    "-f",
    "--framework",
    default="torch",
    show_default=True,
    metavar="NAME[@VERSION]",
    help="On this one.",
    shell_complete=completing.frameworks,
)
@click.option(
    "-r", "--blocks", type=click.IntRange(min=known_words.FEWEST_BLOCKS), default=10, show_default=True,
    help="Of two runs each.",
)  # fmt: skip
@selecting.profile("quick")
@click.option(
    "--environment", "--isolation", default="auto", show_default=True,
    help="auto, docker, apptainer, virtualenv, interpreter=PATH.",
)  # fmt: skip
@selecting.device
@selecting.boundary
@selecting.seed
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder of the null campaign.")
@format_option(["text", "json"])
def command(**asked: Any) -> int:
    """Measures one treatment against itself, in minutes, and keeps what that tells of this machine.

    Twice in each block, in random order: any difference that is found is false, and how much the pairs differ is the
    noise that real differences have to stand out of. It stands beside every later claim made here.
    """
    from harness.cli import calibrating  # pydantic and SciPy: no help waits for them

    return calibrating.calibrate(**asked)
