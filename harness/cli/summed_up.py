"""What all ratios of a command say together, in one line, and the costs behind each."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd

from harness.analysis.quantities import leads
from harness.records import Provenance
from reports.formats import THIN, known, unit_for

NO_VERDICT = "without a verdict"


def in_one_line(rows: pd.DataFrame) -> str:
    """E.g. "energy (ESTIMATED): 1 worse, 2 equivalent; time: 3 worse"; of the whole runs' leads."""
    told = []
    for lead in leads():
        mine = rows[rows["quantity"] == lead.name]
        counts = Counter(one if pd.notna(one) else NO_VERDICT for one in mine["verdict"])
        if counts:
            words = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
            told.append(f"{lead.short}{_aside(shouted(mine))}: {words}")
    return "; ".join(told)


def shouted(rows: pd.DataFrame) -> str:
    """What joules of these rows are that nobody measured; empty where all were."""
    kinds = dict.fromkeys(one for one in rows["provenance"].dropna() if one not in ("", Provenance.MEASURED))
    return ", ".join(str(one).upper() for one in kinds)


def _aside(words: str) -> str:
    return f" ({words})" if words else ""


def costs(row: dict[Any, Any]) -> tuple[str, str]:
    """What the treatment and its reference cost, in one unit; empty where nobody knows."""
    several = known(row.get("cost")), known(row.get("reference_cost"))
    unit = unit_for(several, str(row.get("unit") or ""))
    first, second = ("" if one is None else unit.text(one).replace(THIN, " ") for one in several)
    return first, second
