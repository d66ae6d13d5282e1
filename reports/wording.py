"""Words that several sections share: what the joules are, and what a quantity is called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from harness.analysis.groups import Group
from harness.analysis.plain_texts import records, rows_with
from harness.analysis.quantity import Quantity
from harness.analysis.summary import Analysis
from harness.analysis.withheld import withholds
from harness.energy.joules import sum_provenances
from harness.records import Channel, PowerModel, Provenance, Purpose
from harness.store import Campaign
from reports.formats import THIN, listed, plural

SURE = f"95{THIN}%"  # never torn apart

PHRASES = {
    Provenance.MEASURED: "measured by {meters}: {domains}",
    Provenance.ESTIMATED: "ESTIMATED by {meters}: {domains}, not measured",
    Provenance.DERIVED: "DERIVED from other readings of {meters}: {domains}",
    Provenance.SIMULATED: "SIMULATED: readings of an emulated {meters} meter ({domains}), not of this machine",
}
METERS = {"rapl": "RAPL"}
IMPORTED_WORK = "That imported runs did the same work is their authors' word: nobody can prove it here."


def boundary_channels(campaign: Campaign) -> list[Channel]:
    """Every channel that is an addend of some run's energy, each once."""
    runs = (channel for run in campaign.unprofiled for channel in run.record.channels)
    return list({c.name: c for c in [*campaign.record.channels, *runs] if c.boundary}.values())


def energy_statement(campaign: Campaign) -> str:
    """One sentence that nobody can misread: where the joules come from."""
    channels = boundary_channels(campaign)
    found = sorted({channel.provenance for channel in channels})
    if not found:
        return "No energy was measured: this machine has no energy channel."
    parts = [_phrase(one, [c for c in channels if c.provenance is one], campaign) for one in found]
    return f"Energy is {'; '.join(parts)}.{_together(campaign, len(found))}"


def _together(campaign: Campaign, found: int) -> str:
    """What several provenances mean: addends of one run make a derived sum, those of several runs stay apart."""
    runs = [[c for c in run.record.channels if c.boundary] for run in campaign.unprofiled]
    sums = {frozenset(sum_provenances(channels)) for channels in runs if channels}
    if sums == {frozenset({Provenance.DERIVED})}:
        return " Their sum is derived." if found > 1 else _integrated(campaign)
    return " These joules are never compared with each other." if found > 1 else ""


def _integrated(campaign: Campaign) -> str:
    measured = any(channel.provenance is Provenance.MEASURED for channel in boundary_channels(campaign))
    return " What was read is power: energy is its integral over time, and derived." if measured else ""


def _phrase(provenance: Provenance, channels: list[Channel], campaign: Campaign) -> str:
    if provenance is Provenance.ESTIMATED and all(c.meter == "estimate" for c in channels):
        return (
            estimated(model)
            if (model := campaign.record.plan.power_model)
            else "estimated by another's model"
        )
    meters = listed(dict.fromkeys(METERS.get(c.meter, c.meter) for c in channels))
    return PHRASES[provenance].format(
        meters=meters, domains=" + ".join(dict.fromkeys(c.domain for c in channels))
    )


def estimated(model: PowerModel) -> str:
    watts = f"{model.idle_w:g} W idle + {model.busy_cpu_w:g} W per busy CPU"
    return f"ESTIMATED from CPU time ({watts}), not measured"


def provenances(rows: pd.DataFrame) -> list[str]:
    """Of frames with a `provenance` column, each once."""
    return sorted(set(rows["provenance"].dropna()) - {""})


def badge(analysis: Analysis, group: Group) -> str:
    """Stands beside every energy of a group: its provenance, or that it is mixed."""
    return badge_of_all(group.select(analysis.counted))


def drawable(quantities: Iterable[Quantity], rows: pd.DataFrame, provenance: str) -> list[Quantity]:
    """Those with values; joules of several provenances never share an axis (rule R40)."""
    return [
        one
        for one in quantities
        if not one.badge(provenance).startswith("mixed") and rows[one.name].notna().any()
    ]


def badge_of_all(rows: pd.DataFrame) -> str:
    found = provenances(rows)
    return "mixed provenance" if len(found) > 1 else "".join(found)


def only(rows: pd.DataFrame, **conditions: str) -> pd.DataFrame:
    """The rows with these values."""
    return rows_with(rows, conditions)


def by_quantity(rows: pd.DataFrame) -> dict[str, dict[Any, Any]]:
    """Of one treatment's rows each by its quantity: to pick them from the frame one by one takes longer than all."""
    return {row["quantity"]: row for row in records(rows)}


def verdict_of(row: Mapping[Any, Any] | pd.Series) -> tuple[str, str]:
    """The verdict of a row of COST_COLUMNS and, where it is withheld, why: "", "computed-otherwise: ..."."""
    verdict, reason = row["verdict"], row["ratio_reason"]
    return verdict if isinstance(verdict, str) else "", str(reason) if withholds(reason) else ""


def bars(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of COST_COLUMNS for a chart of ratios: an interval is a verdict to the eye, so without one there is none."""
    judged = rows["verdict"].notna()
    shown = rows.assign(low=rows["low"].where(judged), high=rows["high"].where(judged))
    return shown[["treatment", "scope", "ratio", "low", "high"]]


def anchor(section: str, index: int) -> str:
    return f"{section}-{index + 1}"


def names_in(group: Group, rows: pd.DataFrame) -> list[str]:
    """The group's treatments that occur in the rows, in the plan's order."""
    found = set(rows["treatment"])
    return [name for name in group.treatments if name in found]


def why_unmeasured(analysis: Analysis, group: Group) -> str:
    """Of work of which no run counts, though of other work some do; else empty."""
    if not len(analysis.counted) or len(group.select(analysis.counted)):
        return ""
    planned = (one for one in analysis.open if one.purpose == Purpose.MEASURE)
    waiting = sum(one.treatment.work == group.work for one in planned)
    excluded = only(group.select(analysis.excluded), purpose=Purpose.MEASURE)
    reasons = [str(one) for one in excluded["exclusion"].dropna().unique()]
    told = [f"{plural(waiting, 'run')} of the plan not carried out"] if waiting else []
    told += [f"{plural(len(excluded), 'run')} excluded ({'; '.join(reasons)})"] if len(excluded) else []
    return listed(told) or "no run of it is stored"
