"""What `suite compare` and `suite gate` share: which ratios are asked for, and how they are shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
import pandas as pd

from harness import resume, store
from harness.analysis import independent
from harness.analysis.costs import QUANTITIES, with_rates
from harness.analysis.groups import TREATMENT, treatments_of
from harness.analysis.reference import fitting
from harness.analysis.summary import Analysis, analyse
from harness.cli.percent import PERCENT
from harness.errors import UsageError

SHORT = {"energy": "energy_j", "time": "duration_s", "memory": "memory_peak_bytes", "cpu": "cpu_s"}
COLUMNS = [
    "workload", "dataset", "stage", "device", "settings", TREATMENT, "reference", "quantity", "ratio", "low", "high",
    "verdict", "margin", "blocks", "ratio_reason",
]  # fmt: skip

_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.argument("folder", type=click.Path(path_type=Path)),
    click.argument("other", type=click.Path(path_type=Path), required=False),
    click.option("--reference", help="FRAMEWORK[@VERSION] that the others are held against."),
    click.option("--candidate", help="Only this FRAMEWORK[@VERSION]; default: all."),
    click.option("--margin", type=PERCENT, help="Smallest difference that matters. Default: 2%."),
    click.option("--across-machines", is_flag=True, help="Compare although OTHER ran on another machine."),
)


def options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command the options that ask for ratios."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def ratios(
    folder: Path,
    other: Path | None,
    reference: str | None,
    candidate: str | None,
    margin: float | None,
    across_machines: bool,
) -> pd.DataFrame:
    """COLUMNS, one row a ratio that is judged; of one campaign, or of OTHER's treatments against those of FOLDER.

    Raises: UsageError for names that fit nothing, and for machines that differ, unless the user insists.
    """
    before = analyse(store.load_campaign(folder), None if other else reference, margin)
    if other is None:
        return _within(before, candidate)
    if not across_machines:
        _require_same_machine(folder, other)
    after = analyse(store.load_campaign(other), None, margin)
    new, old = (with_rates(one.counted) for one in (after, before))
    pairs = _pairs(after, before, candidate, reference)
    return independent.between(new, old, pairs, after.margin).reindex(columns=COLUMNS)


def _within(analysis: Analysis, candidate: str | None) -> pd.DataFrame:
    judged = [one.name for one in QUANTITIES if one.judged and one.compared]
    rows = analysis.costs[analysis.costs["quantity"].isin(judged)]
    rows = rows[rows["verdict"] != "reference"]
    if candidate is not None:
        rows = rows[rows[TREATMENT] == fitting(candidate, treatments_of(analysis.groups))]
    if rows.empty:
        raise UsageError(
            "nothing to compare: the campaign holds one treatment of each work; name a second campaign"
        )
    return rows.reindex(columns=COLUMNS)


def _pairs(
    after: Analysis, before: Analysis, candidate: str | None, reference: str | None
) -> Mapping[str, str]:
    new, old = (treatments_of(one.groups) for one in (after, before))
    if candidate is None and reference is None:
        return independent.pairs_of(new, old)
    wanted = fitting(candidate or reference or "", new)
    return {wanted: fitting(reference or candidate or "", old)}


def _require_same_machine(folder: Path, other: Path) -> None:
    """Machines are never compared unasked (rule R40)."""
    one, two = (store.load_campaign(path).record for path in (folder, other))
    if changed := list(resume.changed_machine(one, two.machine, two.channels)):
        raise UsageError(
            f"{folder} and {other} were measured on different machines ({', '.join(changed)}); "
            "--across-machines compares them all the same"
        )
