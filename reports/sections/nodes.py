"""Of a merged campaign: which machines and sessions it is of, each one's own ratios, and how much they differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from harness.analysis.groups import TREATMENT, Group
from harness.analysis.quantities import leads
from harness.analysis.quantity import Quantity
from harness.analysis.replicates import NODES, SINGLE
from harness.analysis.summary import Analysis
from harness.findings.codes import Code, Severity
from harness.records import SourceRecord
from harness.records.source import of_one_plan
from harness.store import Campaign
from reports import figures
from reports.formats import DASH, THIN, interval, known, number, plural, probability, ratio
from reports.parts import Block, Cell, Column, Figure, Panel, Row, Sentence, Table
from reports.wording import SURE, anchor, badge, bars, only

TITLE, ORDER = "Nodes and sessions", 11
MOST = 24  # nodes in a figure or a table
SHARES = {"i_squared", "between"}
DIFFER = 0.05  # below which p says that nodes differ


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    """Nothing where one machine carried the campaign out."""
    sources = campaign.record.sources
    if not sources:
        return {}
    told = analysis.apart.together["over"]
    return {
        "made": "Carried out on a cluster"
        if _taken(campaign)
        else f"Merged of {plural(len(sources), 'campaign')}",
        "nodes": plural(len({one.node for one in sources}), "node"),
        "sessions": plural(len({one.session for one in sources}), "session"),
        "one": SINGLE[told.iloc[0]] if len(told) else "",
        "differing": _differing(campaign),
        "sources": _sources(analysis, campaign),
        "blocks": [
            block for index, group in enumerate(analysis.groups) if (block := _block(analysis, group, index))
        ],
    }


def _differing(campaign: Campaign) -> list[str]:
    """What of the hardware is not the same; it was asked for, and is said before any number."""
    found = campaign.record.findings
    return [
        one.message for one in found if one.code == Code.NODES_DIFFER and one.severity == Severity.WARNING
    ]


def _sources(analysis: Analysis, campaign: Campaign) -> Table:
    name = "Name" if _taken(campaign) else "Campaign"
    titles = {
        "source": name, "node": "Node", "session": "Session", "blocks": "Blocks here", "runs": "Runs that count",
        "cpu": "CPU", "kernel": "Kernel", "created": "Created",
    }  # fmt: skip
    counted = analysis.counted["block"]
    rows = tuple(
        Row(
            str(place),
            (
                Cell(_name(one)), Cell(str(one.node)), Cell(str(one.session)),
                Cell(_blocks(one)), Cell(str(sum(map(one.has, counted)))),
                Cell(str(one.machine.get("cpu_model") or "unknown")), Cell(str(one.machine.get("kernel") or "unknown")),
                Cell(one.created),
            ),
        )
        for place, one in enumerate(campaign.record.sources, 1)
    )  # fmt: skip
    columns = tuple(Column(key, title) for key, title in titles.items())
    title = "Which node did what" if _taken(campaign) else "What was merged"
    return Table("sources", title, columns, rows)


def _name(source: SourceRecord) -> str:
    """A node's own, within its campaign where several campaigns were merged."""
    if source.own_blocks:
        return f"{source.campaign_id}, {source.node_name}"
    return source.node_name or source.campaign_id


def _taken(campaign: Campaign) -> bool:
    return of_one_plan(campaign.record.sources)


def _blocks(source: SourceRecord) -> str:
    if not source.taken and not source.blocks:
        return DASH  # a cluster's node that did nothing but what comes before all blocks
    if not source.taken:
        return f"{source.after + 1}–{source.after + source.blocks}"
    more = f" … ({len(source.taken)} in all)" if len(source.taken) > MOST else ""
    return ", ".join(map(str, source.taken[:MOST])) + more


def _block(analysis: Analysis, group: Group, index: int) -> Block | None:
    own, together = (group.select(frame) for frame in analysis.apart)
    if together.empty:
        return None
    provenance = badge(analysis, group)
    shown = _shown(own)
    rest = own["number"].nunique() - len(shown)
    more = [Sentence(f"The {MOST} with the most extreme ratios are shown; {rest} more are in the exports.")]
    return Block(
        anchor("nodes", index),
        group.title,
        (*_sentences(together), *(more if rest else [])),
        figure=_figure(own, group.select(analysis.costs), shown, provenance, index),
        tables=(_together(together, group, provenance, index), _own(own, shown, group, provenance, index)),
    )


def _shown(own: pd.DataFrame) -> list[int]:
    """All nodes, or of many those whose ratios lie furthest out, by the first quantity and treatment."""
    numbers = sorted(own["number"].unique())
    if len(numbers) <= MOST:
        return numbers
    first = own[(own[["quantity", TREATMENT]] == own[["quantity", TREATMENT]].iloc[0]).all(axis=1)]
    ordered = list(first.sort_values("ratio")["number"])
    return sorted({*ordered[: MOST // 2], *ordered[-MOST // 2 :]})


def _sentences(together: pd.DataFrame) -> Iterator[Sentence]:
    for lead in leads():
        for row in only(together, quantity=lead.name).to_dict("records"):
            subject = f"{lead.title} of {row[TREATMENT]} against {row['reference']}:"
            yield Sentence(_in_words(row), subject)


def _in_words(row: dict[Any, Any]) -> str:
    several = f"{row['replicates']} {row['over']}"
    p, between = known(row["p"]), known(row["between"])
    if p is None or between is None:
        return f"nothing tells whether the {several} differ: too few blocks or sessions on each."
    if p < DIFFER:
        share = number(100 * between, 2)
        return (
            f"the {several} differ, by a standard deviation of {share}{THIN}% beyond what blocks scatter "
            f"(p{THIN}{_equal(p)}): no single ratio holds on each."
        )
    return f"the {several} are not shown to differ (p{THIN}{_equal(p)}), which does not make them equal."


def _equal(p: float) -> str:
    text = probability(p)
    return text if text.startswith("<") else f"={THIN}{text}"


def _label(row: dict[Any, Any], value: Any) -> str:
    return f"{SINGLE[row['over']]} {value}"


def _figure(
    own: pd.DataFrame, costs: pd.DataFrame, shown: list[int], provenance: str, index: int
) -> Figure | None:
    """A forest of single nodes above that of all, whose intervals are the verdicts'."""
    panels = []
    for lead in leads():
        rows = only(own, quantity=lead.name)
        if len(rows := rows[rows["number"].isin(shown)]):
            one = SINGLE[rows["over"].iloc[0]]
            whole = only(costs, quantity=lead.name).dropna(subset=["ratio"])
            whole = bars(whole[whole["over"].notna()].assign(scope="")).assign(number=f"all {one}s")
            each = rows.assign(number=[f"{one} {number}" for number in rows["number"]])
            drawn = pd.concat([each, whole])
            drawn = drawn.assign(scope=drawn[TREATMENT], treatment=drawn["number"])
            label = (
                f"Ratios of {lead.words} on each {one} with {SURE} intervals; the tables have the numbers."
            )
            drawing = figures.forest(drawn, list(dict.fromkeys(drawn["number"])), of_frameworks=True)
            panels.append(Panel(f"Ratio of {lead.words}", drawing, label, lead.badge(provenance), lead.name))
    caption = (
        f"Right of the dashed line costs more than the reference. Bars: each one's own {SURE} interval, over its "
        "blocks, or its sessions where it has several, and the verdict's over all; none where that is withheld."
    )
    return Figure(f"nodes-figure-{index + 1}", caption, tuple(panels)) if panels else None


def _together(together: pd.DataFrame, group: Group, provenance: str, index: int) -> Table:
    kind = "Nodes" if (together["over"] == NODES).all() else "Sessions"
    titles = {
        "replicates": kind, "q": "Cochran's Q", "freedom": "Degrees of freedom", "p": "p", "i_squared": "I²",
        "between": "Standard deviation between",
    }  # fmt: skip
    rows = tuple(
        Row(
            f"{row['quantity']} {row[TREATMENT]}",
            (_first(row, lead, provenance), *(_cell(key, row) for key in titles)),
        )
        for lead in leads()
        for row in only(together, quantity=lead.name).to_dict("records")
    )  # fmt: skip
    columns = (
        Column("quantity", "Quantity, framework"),
        *(Column(k, t, numeric=True) for k, t in titles.items()),
    )
    return Table(f"heterogeneity-{index + 1}", "How much they differ", columns, rows, group.title)


def _first(row: dict[Any, Any], lead: Quantity, provenance: str) -> Cell:
    minor = ", ".join(part for part in (lead.badge(provenance), f"against {row['reference']}") if part)
    return Cell(f"{lead.full_title}, {row[TREATMENT]}", minor=minor)


def _cell(key: str, row: dict[Any, Any]) -> Cell:
    value = known(row[key])
    if value is None:
        return Cell(DASH, note="too few blocks or sessions on each, or all alike")
    return Cell(_text(key, value), repr(value))


def _text(key: str, value: float) -> str:
    if key == "p":
        return probability(value)
    if key in SHARES:
        return f"{number(100 * value, 2)}{THIN}%"
    return number(value) if key == "q" else f"{value:.0f}"


def _own(own: pd.DataFrame, shown: list[int], group: Group, provenance: str, index: int) -> Table:
    pairs = [
        (lead, name)
        for lead in leads()
        for name in group.treatments
        if len(only(own, quantity=lead.name, treatment=name))
    ]  # fmt: skip
    columns = [
        Column(f"{lead.name} {name}", f"{lead.title}, {name}", badge=lead.badge(provenance))
        for lead, name in pairs
    ]
    first = own.iloc[0].to_dict()
    rows = []
    for each in shown:
        mine = own[own["number"] == each]
        cells = [_ratio(only(mine, quantity=lead.name, treatment=name)) for lead, name in pairs]
        blocks = int(mine["blocks"].max())
        rows.append(Row(str(each), (Cell(_label(first, each), minor=plural(blocks, "block")), *cells)))
    kind = SINGLE[first["over"]]
    return Table(
        f"own-ratios-{index + 1}", f"Each {kind}'s own ratios", (Column("node", kind.capitalize()), *columns),
        tuple(rows), group.title, f"to the reference, each with its own {SURE} interval",
    )  # fmt: skip


def _ratio(rows: pd.DataFrame) -> Cell:
    if rows.empty:
        return Cell(DASH, note="no block in which both have a positive value")
    row = rows.iloc[0]
    value = float(row["ratio"])
    return Cell(ratio(value), repr(value), minor=interval(known(row["low"]), known(row["high"])))
