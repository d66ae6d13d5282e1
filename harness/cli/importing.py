"""suite import: what other tools measured, as a campaign."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from harness.cli import screen
from harness.errors import UsageError
from harness.records import Outcome, RunRecord
from harness.suggest import unknown
from reports.formats import plural

VERBS = {Outcome.INVALID: ("is invalid", "are invalid"), Outcome.FAILED: ("failed", "failed")}


@click.command("import")
@click.argument("form", metavar="FORMAT")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, help="The campaign's new folder."
)
@click.option("--workload", help="Where the files do not say.")
@click.option("--framework", help="Where the files do not say.")
@click.option("--version", help="The framework's, where the files do not say.")
@click.option("--stage", help="Where the files do not say.")
@click.option("--dataset", help="Where the files do not say.")
def command(form: str, path: Path, output: Path, **said: str | None) -> int:
    """Writes a campaign of what PATH holds in FORMAT, whole or not at all.

    The exit code is 1 if any run is not ok: it is kept, and is in no figure.

    Formats: prengdl, sotillos, energibridge, nvidia-smi, perf-stat, codecarbon,
    mlperf-training, mlperf-inference, mlperf-tiny.
    """
    from harness import importers, store

    _require_known(said["stage"])
    known = {name: value for name, value in said.items() if value is not None}
    folder = importers.import_campaign(form, path, output, known)
    screen.say(f"campaign: {folder.absolute()}")
    return _tell_lost([run.record for run in store.load_campaign(folder).runs])


def _require_known(stage: str | None) -> None:
    """Raises: UsageError for a stage that no workload names."""
    from harness.inventory import catalog

    if stage is not None and stage not in catalog.stages():
        raise UsageError(unknown("stage", stage, catalog.stages()))


def _tell_lost(runs: Sequence[RunRecord]) -> int:
    """A line per outcome that is not ok, with the first reason; the exit code."""
    lost = [run for run in runs if run.outcome is not Outcome.OK]
    for outcome in dict.fromkeys(run.outcome for run in lost):
        reasons = Counter(run.reason for run in lost if run.outcome is outcome)
        number, first = reasons.total(), next(iter(reasons))
        more = f" (and {plural(len(reasons) - 1, 'other reason')})" if len(reasons) > 1 else ""
        verb = VERBS[outcome][number > 1]
        screen.say(f"{number} of {plural(len(runs), 'run')} {verb}: {first}{more}")
    return 1 if lost else 0
