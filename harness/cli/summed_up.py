"""What all ratios of a command say together, in one line, and the costs behind each."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd

from harness.analysis.quantities import leads
from harness.records import Provenance
from reports.formats import THIN, known, unit_for

NO_VERDICT, NO_RATIO = WITHOUT = "without a verdict", "not compared"


def in_one_line(rows: pd.DataFrame) -> str:
    """E.g. "energy (ESTIMATED): 1 worse, 2 equivalent; time: 3 worse"; of the whole runs' leads."""
    told = []
    for lead in leads():
        mine = rows[rows["quantity"] == lead.name]
        without = mine["ratio"].isna().map({True: NO_RATIO, False: NO_VERDICT})
        counts = Counter(mine["verdict"].where(mine["verdict"].notna(), without))
        if counts:
            told_first = sorted(counts.items(), key=lambda one: (one[0] in WITHOUT, -one[1]))
            words = ", ".join(f"{count} {verdict}" for verdict, count in told_first)
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
