"""suite run: plans, prepares, measures, reports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from harness.cli import completing, executing, selecting
from harness.cli.duration import DURATION
from harness.cli.one_of import OneOf
from harness.cli.percent import PERCENT


@click.command("run")
@click.option("--all", "everything", is_flag=True, help="Every workload on every framework.")
@selecting.options
@selecting.profile_runs
@selecting.profile_tools
@selecting.profile("standard")
@click.option(
    "--environment",
    default="auto",
    show_default=True,
    help="auto, docker, apptainer, virtualenv, interpreter=PATH.",
)
@selecting.device
@click.option("--allow-stale", is_flag=True, help="Run images whose workloads are not the checkout's.")
@click.option("--require", default="", help="Refuse instead of making do: docker,gpu,rapl,data,verified.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder of the campaign.")
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    shell_complete=completing.campaigns,
    help="Go on with the campaign in this folder, as it was planned.",
)
@click.option("--force-new-machine", is_flag=True, help="Resume even on another machine; its runs say so.")
@click.option("--fail-fast", is_flag=True, help="End the campaign at the first run that does not count.")
@click.option(
    "--log-format",
    default="text",
    show_default=True,
    type=OneOf(["text", "json"]),
    help="json: one object a line for each wait, run, phase and finding, and for the watts of each 2 s.",
)
@click.option(
    "--until",
    type=PERCENT,
    metavar="MARGIN",
    help="Stop once every ratio has a verdict, or is known to within MARGIN (2%); -r is then the most blocks.",
)
@click.option(
    "--budget",
    type=DURATION,
    metavar="TIME",
    help="Be done after TIME (10min, 8h, overnight: by 8 o'clock): each workload has its turn, then what is open; "
    "--resume DIR --budget +1h.",
)
@click.option(
    "--reference",
    shell_complete=completing.frameworks,
    help="With --until or --budget: hold the others against this FRAMEWORK[@VERSION].",
)
@click.option(
    "--anonymous", is_flag=True, help="Record nothing that tells whose machine it is, or who measures."
)
@click.option(
    "--verify/--no-verify",
    default=True,
    show_default=True,
    help="First prove equal work, where no certificate covers it.",
)
@executing.options
@click.option("--dry-run", is_flag=True, help="Print the exact order and do nothing.")
def command(**options: Any) -> int:
    """Measures, and writes a campaign folder with a report."""
    from harness.cli import running  # pandas, SciPy and pydantic: no help waits for them

    return running.run(options)
