"""What a ratio holds against what: by their names, and by those of their campaigns where only these differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from harness.analysis.gating import Side
from harness.analysis.groups import TREATMENT

CAMPAIGN, REFERENCE_CAMPAIGN = "campaign", "reference_campaign"


def with_campaigns(rows: pd.DataFrame, new: Sequence[Side], old: Sequence[Side]) -> pd.DataFrame:
    """Of two campaigns, or of several sessions of each side; the rows as they are where there is one."""
    if not old:
        return rows
    ours, theirs = _by_id(new), _by_id(old)
    if ours == theirs:  # machines that are told the same -o give their campaigns one name
        ours, theirs = _by_folder(new), _by_folder(old)
    return rows.assign(**{CAMPAIGN: ours, REFERENCE_CAMPAIGN: theirs})


def sides(row: Mapping[Any, Any]) -> tuple[str, str]:
    """E.g. "torch 2.13.0", "jax 0.10.2"; "torch 2.13.0 (after)", "torch 2.13.0 (before)"."""
    name, other = str(row[TREATMENT]), str(row["reference"])
    if name != other or CAMPAIGN not in row:
        return name, other
    return f"{name} ({row[CAMPAIGN]})", f"{other} ({row[REFERENCE_CAMPAIGN]})"


def _by_id(several: Sequence[Side]) -> str:
    return _first_of([one.campaign.record.campaign_id for one in several])


def _by_folder(several: Sequence[Side]) -> str:
    return _first_of([str(one.campaign.folder) for one in several])


def _first_of(names: Sequence[str]) -> str:
    return names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "")
