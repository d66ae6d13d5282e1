"""The first screen: workloads x frameworks, the verdict in the cell. It tells the decided verdicts, and no other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.analysis.groups import TREATMENT, Group, distinctions
from harness.analysis.multiplicity import WORDS
from harness.analysis.outlook import Need
from harness.analysis.plain_texts import records
from harness.analysis.quantities import leads
from harness.analysis.quantity import Quantity
from harness.analysis.replicates import BLOCKS, SINGLE
from harness.analysis.summary import Analysis
from harness.analysis.verdict import Verdict
from harness.findings.codes import Code
from reports.formats import DASH, interval, known, listed, percent, plural, ratio
from reports.theme import places
from reports.wording import SURE, anchor, badge_of_all, only, verdict_of

VOID, UNKNOWN, REFERENCE = "no verdict", "not compared", "reference"
GLYPHS = {
    Verdict.WORSE: "▲", Verdict.BETTER: "▼", Verdict.EQUIVALENT: "=", Verdict.INCONCLUSIVE: "?", VOID: "⊘",
    UNKNOWN: DASH, REFERENCE: "",
}  # fmt: skip
LEGEND = {
    Verdict.WORSE: "costs more", Verdict.BETTER: "costs less", Verdict.EQUIVALENT: "alike within the margin",
    Verdict.INCONCLUSIVE: "too close to tell", VOID: "no verdict: a finding withholds it",
}  # fmt: skip
IN_LEGEND = {**LEGEND, UNKNOWN: "not compared"}
IN_A_LINE = {VOID: "without a verdict"}
Row = Mapping[Any, Any]


@dataclass(frozen=True)
class AnswerCell:
    """`verdict`: a key of GLYPHS; `words`: all of it, for whoever hears the page or points at the cell.

    `span`: the interval of a ratio that has a verdict, "1.20–4.18".
    """

    verdict: str
    text: str
    words: str
    treatment: str
    quantity: str
    value: str | None = None
    span: str = ""

    @property
    def glyph(self) -> str:
        return GLYPHS[self.verdict]


@dataclass(frozen=True)
class AnswerRow:
    """One group; `block` is the heading's id of its verdicts, below."""

    group: Group
    block: str
    cells: tuple[AnswerCell, ...]

    @property
    def largest(self) -> float:
        """The largest difference that was decided, on logarithms; -1 where none was."""
        decided = (one for one in self.cells if one.verdict in (Verdict.WORSE, Verdict.BETTER) and one.value)
        return max((abs(float(np.log(float(str(one.value))))) for one in decided), default=-1.0)


@dataclass(frozen=True)
class Answer:
    """`columns`: of each quantity all treatments but the one that is everywhere the reference."""

    sentences: tuple[str, ...]
    quantities: tuple[Quantity, ...]
    treatments: tuple[str, ...]
    rows: tuple[AnswerRow, ...]
    unmeasured: tuple[AnswerRow, ...]  # of which no run counts, where others do
    alone: tuple[AnswerRow, ...]  # of which one framework alone was measured
    labels: Mapping[Group, str]
    reference: str
    correction: str
    badge: str
    legend: tuple[tuple[str, str, str], ...]
    hues: Mapping[str, int]  # by treatment its place in the palette of the charts


def answer(analysis: Analysis) -> Answer | None:
    """None where nothing is compared."""
    shown = [(group, index) for index, group in enumerate(analysis.groups) if len(group.treatments) > 1]
    if not shown or analysis.profiles.alone:
        return None
    names = dict.fromkeys(name for group, _ in shown for name in group.treatments)
    always = {analysis.reference.of(group) for group, _ in shown}
    treatments = [name for name in names if {name} != always]
    rows = [_row(analysis, group, treatments, anchor("verdict", index)) for group, index in shown]
    cells = [cell for row in rows for cell in row.cells]
    found = {cell.verdict for cell in cells}
    measured = [row for row in rows if len(row.group.select(analysis.counted))] or rows
    return Answer(
        sentences=tuple(_sentence(cells, lead, analysis) for lead in leads()),
        quantities=leads(),
        treatments=tuple(treatments),
        rows=tuple(sorted(measured, key=lambda row: -row.largest)),
        unmeasured=tuple(row for row in rows if row not in measured),
        alone=tuple(_alone(analysis)),
        labels=labels_of(analysis.groups),
        reference=_reference(always),
        correction=_correction(analysis),
        badge=badge_of_all(analysis.counted),
        hues=dict(zip(treatments, places(treatments), strict=True)),
        legend=tuple((name, GLYPHS[name], words) for name, words in IN_LEGEND.items() if name in found),
    )


def _alone(analysis: Analysis) -> Iterator[AnswerRow]:
    """None where less is told than was measured: whose others were left out, nobody knows here."""
    if any(one.code == Code.TOLD_IN_PART for one in analysis.findings):
        return
    for index, group in enumerate(analysis.groups):
        if len(group.treatments) == 1 and len(group.select(analysis.counted)):
            yield AnswerRow(group, anchor("verdict", index), ())


def labels_of(groups: Sequence[Group]) -> dict[Group, str]:
    """Each work as the first screen calls it."""
    apart = distinctions(groups)
    return {one: " · ".join(filter(None, (one.workload, one.stage, apart[one]))) for one in groups}


def _reference(always: set[str]) -> str:
    if len(always) == 1:
        return f"{next(iter(always))} = 1"
    return f"each row's own ({listed(sorted(always))}), marked as such"


def _correction(analysis: Analysis) -> str:
    found = analysis.costs["errors"].dropna().unique()
    return f"{SURE} intervals; {'; '.join(WORDS[name] for name in found)}" if len(found) else ""


def _row(analysis: Analysis, group: Group, treatments: Sequence[str], block: str) -> AnswerRow:
    costs = group.select(analysis.costs)
    found = {
        (row[TREATMENT], lead.name): row
        for lead in leads()
        for row in records(only(costs, quantity=lead.name))
    }
    cells = (
        _cell(analysis, found.get((name, lead.name)), name, lead) for lead in leads() for name in treatments
    )
    return AnswerRow(group, block, tuple(cells))


def _cell(analysis: Analysis, row: Row | None, name: str, lead: Quantity) -> AnswerCell:
    about = f"{name}, {lead.words}"
    if row is None:
        return AnswerCell(UNKNOWN, "", f"{about}: did not run here", name, lead.name)
    value = known(row["ratio"])
    if value is None:
        return AnswerCell(UNKNOWN, "", f"{about}: {row['ratio_reason']}", name, lead.name)
    verdict, withheld = verdict_of(row)
    if verdict == REFERENCE:
        return AnswerCell(REFERENCE, "1", f"{about}: the reference of this row", name, lead.name, "1.0")
    words = f"{about}: {_told(row, value)}; {_judged(verdict, withheld, row, analysis.outlook.need(row))}"
    span = _span(row) if verdict else ""
    return AnswerCell(verdict or VOID, ratio(value), words, name, lead.name, repr(value), span)


def _span(row: Row) -> str:
    return interval(known(row["low"]), known(row["high"]))[1:-1]


def _told(row: Row, value: float) -> str:
    one = SINGLE.get(row["over"], SINGLE[BLOCKS])
    span = _span(row) or "none"
    return f"{ratio(value)} that of {row['reference']}, {SURE} interval {span}, {plural(int(row['blocks']), one)}"


def _judged(verdict: str, withheld: str, row: Row, need: Need | None) -> str:
    if withheld:
        return f"no verdict: {withheld}"
    if not verdict:
        return f"no verdict: {row['ratio_reason']}"
    open_for = (
        f"; about {plural(need.blocks, 'block')} in all would settle it" if need and need.blocks else ""
    )
    return f"{verdict}: {LEGEND[Verdict(verdict)]}{open_for}"


def _sentence(cells: Sequence[AnswerCell], lead: Quantity, analysis: Analysis) -> str:
    """Energy: 8 of 36 differ, 28 too close to tell. It counts the cells, which are the verdicts of the page."""
    of_it = Counter(one.verdict for one in cells if one.quantity == lead.name)
    compared = sum(of_it.values()) - of_it[REFERENCE] - of_it[UNKNOWN]
    if not compared:
        return f"{lead.title}: nothing could be compared."
    several = (
        (of_it[Verdict.WORSE] + of_it[Verdict.BETTER], f"of {plural(compared, 'ratio')} differ"),
        (of_it[Verdict.EQUIVALENT], f"alike within {percent(analysis.margin)}"),
        (of_it[Verdict.INCONCLUSIVE], "too close to tell"),
        (of_it[VOID], "without a verdict"),
        (_uncompared(analysis, lead), "not compared"),
    )
    first, *rest = (
        f"{count or 'none'} {words}" for count, words in several if count or words.startswith("of ")
    )
    badge = lead.badge(badge_of_all(analysis.counted)).upper()
    return f"{lead.title}{f' ({badge})' if badge else ''}: {', '.join([first, *rest])}."


def _uncompared(analysis: Analysis, lead: Quantity) -> int:
    """Ratios that the plan asked for and nobody knows, as `suite compare` counts them."""
    rows = only(analysis.costs, quantity=lead.name)
    return int((rows["ratio"].isna() & (rows[TREATMENT] != rows["reference"])).sum())


def executive_line(analysis: Analysis, groups: Sequence[Group]) -> str:
    """What was decided about this work, in one line."""
    return " ".join(filter(None, (_of_quantity(analysis, groups, lead) for lead in leads())))


def _of_quantity(analysis: Analysis, groups: Sequence[Group], lead: Quantity) -> str:
    rows = [
        row
        for group in groups
        for row in records(only(group.select(analysis.costs), quantity=lead.name))
        if known(row["ratio"]) is not None and row["verdict"] != REFERENCE
    ]
    if not rows:
        return ""
    parts = [f"{GLYPHS[verdict]} {_names(rows, verdict)}" for verdict in LEGEND if _names(rows, verdict)]
    return f"{lead.title}: {'; '.join(parts)}."


def _names(rows: Sequence[Row], verdict: str) -> str:
    """The treatments with this verdict: what was decided by name and ratio, the others by their number."""
    of_it = [row for row in rows if (verdict_of(row)[0] or VOID) == verdict]
    if verdict in (Verdict.WORSE, Verdict.BETTER):
        return listed(f"{row[TREATMENT]} {ratio(row['ratio'])}" for row in of_it)
    return f"{len(of_it)} {IN_A_LINE.get(verdict, LEGEND[verdict])}" if of_it else ""
