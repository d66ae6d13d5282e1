"""How many blocks would settle what a comparison within one campaign leaves open, and the commands that run them."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from harness.analysis.groups import TREATMENT, Group
from harness.analysis.outlook import Need
from harness.analysis.plain_texts import records
from harness.analysis.quantities import leads
from harness.analysis.summary import Analysis
from harness.analysis.verdict import Verdict
from harness.cli.comparing import Compared
from harness.records import IMPORTED, CampaignRecord
from reports.commands import command_that_settles
from reports.formats import plural

MOST_COMMANDS = 3


def lines(found: Compared, rows: pd.DataFrame) -> Iterator[str]:
    """Of ratios of the leads; between campaigns nobody plans blocks."""
    asked = rows["quantity"].isin([one.name for one in leads()]) & (rows["verdict"] == Verdict.INCONCLUSIVE)
    if found.old or len(found.new) != 1 or not asked.any():
        return
    (side,) = found.new
    needs = {group: _needs(side.analysis, group.select(rows[asked])) for group in side.analysis.groups}
    blocks = [need.blocks or 0 for several in needs.values() for need in several.values()]
    if blocks:
        settled = f"{len(blocks)} of {plural(int(asked.sum()), 'open ratio')}"
        yield f"about {max(blocks)} blocks of a new campaign would settle {settled}, each in 80 % of such campaigns"
        yield from _commands(side.campaign.record, {group: one for group, one in needs.items() if one})


def _needs(analysis: Analysis, rows: pd.DataFrame) -> dict[tuple[str, str, str], Need]:
    """By treatment, reference and quantity, of the ratios that some number of blocks settles."""
    found = {
        (str(row[TREATMENT]), str(row["reference"]), str(row["quantity"])): analysis.outlook.need(row)
        for row in records(rows)
    }
    return {key: need for key, need in found.items() if need and need.blocks}


def _commands(record: CampaignRecord, needs: dict[Group, dict[tuple[str, str, str], Need]]) -> Iterator[str]:
    """A campaign for each of the first works, of all its treatments that are open."""
    if record.isolation == IMPORTED:
        return
    for group, several in list(needs.items())[:MOST_COMMANDS]:
        names = dict.fromkeys(name for *pair, _ in several for name in reversed(pair))
        blocks = max(need.blocks or 0 for need in several.values())
        yield f"  {command_that_settles(record, group, names, blocks)}"
    if len(needs) > MOST_COMMANDS:
        yield f"  suite report has the commands of {len(needs) - MOST_COMMANDS} more"
