"""How many blocks would settle what a comparison within one campaign leaves open, in one line."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from harness.analysis.quantities import leads
from harness.analysis.verdict import Verdict
from harness.cli.comparing import Compared
from reports.formats import plural


def lines(found: Compared, rows: pd.DataFrame) -> Iterator[str]:
    """Of ratios of the leads; between campaigns nobody plans blocks."""
    asked = rows["quantity"].isin([one.name for one in leads()]) & (rows["verdict"] == Verdict.INCONCLUSIVE)
    if found.old or len(found.new) != 1 or not asked.any():
        return
    outlook = found.new[0].analysis.outlook
    needs = [need for row in rows[asked].to_dict("records") if (need := outlook.need(row))]
    blocks = [need.blocks for need in needs if need.blocks]
    if blocks:
        settled = f"{len(blocks)} of {plural(int(asked.sum()), 'open ratio')}"
        yield (
            f"about {max(blocks)} blocks of a new campaign would settle {settled}, each in 80 % of such campaigns "
            "(suite report has their commands)"
        )
