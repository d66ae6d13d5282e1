"""What `suite compare` and `suite gate` share: which ratios are asked for, and how they are shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
import pandas as pd

from harness import anonymous, resume, store
from harness.analysis import independent
from harness.analysis.costs import with_rates
from harness.analysis.groups import TREATMENT, treatments_of
from harness.analysis.quantities import QUANTITIES
from harness.analysis.reference import fitting
from harness.analysis.summary import Analysis, analyse
from harness.cli.percent import PERCENT
from harness.errors import UsageError
from harness.store import Campaign

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
    before = store.load_campaign(folder)
    if other is None:
        return _within(analyse(before, reference, margin), candidate)
    after = store.load_campaign(other)
    if not across_machines:
        require_same_machine(after, before)
    return between(after, before, reference, candidate, margin)


def between(
    new: Campaign,
    old: Campaign,
    reference: str | None = None,
    candidate: str | None = None,
    margin: float | None = None,
) -> pd.DataFrame:
    """COLUMNS of the treatments of `new` against those of `old`. Raises: UsageError for names that fit nothing."""
    after, before = analyse(new, None, margin), analyse(old, None, margin)
    pairs = _pairs(after, before, candidate, reference)
    runs, others = (with_rates(one.counted) for one in (after, before))
    return independent.between(runs, others, pairs, after.margin).reindex(columns=COLUMNS)


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


def require_same_machine(new: Campaign, old: Campaign) -> None:
    """Machines are never compared unasked (rule R40)."""
    if changed := changed_machine(new, old):
        raise UsageError(
            f"{old.folder} and {new.folder} were measured on different machines ({', '.join(changed)}); "
            "--across-machines compares them all the same"
        )


def changed_machine(new: Campaign, old: Campaign) -> list[str]:
    """What differs between their machines; empty for the same one. Of an anonymous one nobody knows."""
    if any(one.record.machine.get(anonymous.MARK) for one in (new, old)):
        return ["one of them is anonymous"]
    return list(resume.changed_machine(old.record, new.record.machine, new.record.channels))
