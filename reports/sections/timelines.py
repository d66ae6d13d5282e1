"""One typical run of each treatment over time: power, utilisation, temperature, memory, and its epochs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pandas as pd

from harness.analysis.groups import Group
from harness.analysis.summary import Analysis
from harness.analysis.timeline import BUSY_CPUS, POWER, Curve, curves, epoch_ends_s, phase_begins_s, typical
from harness.records import Provenance
from harness.store import Campaign, Run
from reports.formats import Unit
from reports.parts import Block, Cell, Column, Figure, Panel, Row, Sentence, Table, amount
from reports.timelines import timeline
from reports.units import unit_of_runs
from reports.wording import anchor, only

TITLE, ORDER = "Over time", 42
UNITS = {"degC": "°C"}
SECONDS, NO_PHASE = Unit(1.0, "s"), "its run has no such phase"
CAPTION = (
    "Time since each run's measured window began. Lines: the mean of what was read in each slice of time, in a band "
    "from the least to the greatest. Strokes: where a phase first begins; marks: the end of each epoch's training."
)
REMARK = (
    "The run with the median energy of its framework, or the median time where no energy is known. Power is the growth "
    "of a counter between two readings, or what a gauge read. Mean: weighted with time."
)


MODELLED = "Power is estimated from CPU time: its curve is that of busy CPUs, and not drawn twice."


class PowerCourse(NamedTuple):
    """A treatment's curve, the run it is of, and the seconds at which its epochs end and its phases first begin."""

    name: str
    run_id: str
    curve: Curve
    ends_s: pd.Series
    begins_s: pd.Series


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    runs = {run.record.planned.run_id: run for run in campaign.runs}
    named = enumerate(analysis.groups)
    blocks = [block for index, group in named if (block := _block(analysis, group, runs, index))]
    return {"blocks": blocks} if blocks else {}


def _block(analysis: Analysis, group: Group, runs: dict[str, Run], index: int) -> Block | None:
    courses = list(_courses(analysis, group, runs))
    if not courses:
        return None
    by_title = {one.curve.title: [c for c in courses if c.curve.title == one.curve.title] for one in courses}
    twice = {title for title, many in by_title.items() if BUSY_CPUS in by_title and _modelled(many)}
    drawn = {title: many for title, many in by_title.items() if title not in twice and not _mixed(many)}
    panels = tuple(_panel(title, many, _unit(analysis, many)) for title, many in drawn.items())
    said = (Sentence(MODELLED),) if twice else ()
    tables = (
        _table(analysis, by_title, f"timelines-{index + 1}", group.title),
        *_phases(courses, f"timelines-phases-{index + 1}", group.title),
    )
    figure = Figure(f"timelines-figure-{index + 1}", CAPTION, panels) if panels else None
    return Block(anchor("timelines-block", index), group.title, said, figure=figure, tables=tables)


def _courses(analysis: Analysis, group: Group, runs: dict[str, Run]) -> Iterator[PowerCourse]:
    counted = group.select(analysis.counted)
    for name in group.treatments:
        mine = only(counted, treatment=name)
        if len(mine):
            run = runs[typical(mine)]
            ends_s = epoch_ends_s(run, analysis.raw.phases)
            begins_s = phase_begins_s(run, analysis.raw.phases)
            run_id = run.record.planned.run_id
            yield from (PowerCourse(name, run_id, one, ends_s, begins_s) for one in curves(run))


def _modelled(many: list[PowerCourse]) -> bool:
    """Watts that a model made of CPU time have the shape of busy CPUs."""
    return _badge(many) == Provenance.ESTIMATED and all(one.curve.title.startswith(POWER) for one in many)


def _mixed(many: list[PowerCourse]) -> bool:
    """Watts of several provenances never share an axis (rule R40)."""
    return _badge(many).startswith("mixed")


def _badge(many: list[PowerCourse]) -> str:
    kinds = {one.curve.provenance for one in many if one.curve.title.startswith(POWER)}
    return "mixed provenance" if len(kinds) > 1 else "".join(kinds)


def _panel(title: str, many: list[PowerCourse], unit: Unit) -> Panel:
    names = [one.name for one in many]
    rows = pd.concat([_rows(one, unit) for one in many], ignore_index=True)
    epochs = pd.concat([_marks(one, one.ends_s, "epoch") for one in many], ignore_index=True)
    phases = pd.concat([_marks(one, one.begins_s, "phase") for one in many], ignore_index=True)
    axis = f"{title.partition(',')[0].lower()} ({unit.symbol})" if unit.symbol else title.lower()
    drawing = timeline(rows, epochs, phases, names, axis.replace("gpu", "GPU").replace("cpus", "CPUs"))
    label = f"{title} over the time of one run of each framework, in bands; the table below has means and extremes."
    return Panel(title, drawing, label, _badge(many))


def _unit(analysis: Analysis, many: list[PowerCourse]) -> Unit:
    base = many[0].curve.unit
    return Unit(1.0, UNITS[base]) if base in UNITS else unit_of_runs(analysis, base)


def _rows(one: PowerCourse, unit: Unit) -> pd.DataFrame:
    return pd.DataFrame({"series": one.name, "t_s": one.curve.t_s, "value": one.curve.values / unit.size})


def _marks(one: PowerCourse, at_s: pd.Series, kind: str) -> pd.DataFrame:
    """At these seconds, by epoch or phase."""
    return pd.DataFrame({"series": one.name, kind: at_s.index, "t_s": at_s.to_numpy(dtype="float64")})


def _table(analysis: Analysis, by_title: dict[str, list[PowerCourse]], key: str, context: str) -> Table:
    heads = {"mean": "Mean", "min": "Least", "max": "Greatest", "readings": "Readings"}
    columns = (
        Column("what", "What, framework"),
        Column("run", "Run"),
        *(Column(k, t, True) for k, t in heads.items()),
    )
    body = tuple(_row(one, _unit(analysis, many)) for many in by_title.values() for one in many)
    return Table(key, "One typical run each", columns, body, context, remarks=(REMARK,))


def _row(one: PowerCourse, unit: Unit) -> Row:
    curve = one.curve
    numbers = (amount(value, unit) for value in (curve.mean, curve.values.min(), curve.values.max()))
    minor = curve.provenance if curve.title.startswith(POWER) else ""
    first = Cell(f"{curve.title}, {one.name}", minor=minor)
    count = Cell(str(len(curve.values)), str(len(curve.values)))
    return Row(f"{curve.title} {one.name}", (first, Cell(one.run_id), *numbers, count))


def _phases(courses: list[PowerCourse], key: str, context: str) -> Iterator[Table]:
    """When each phase of the drawn runs first begins; none where nobody told of any."""
    by_name = {one.name: one.begins_s for one in courses}
    phases = list(dict.fromkeys(phase for begins_s in by_name.values() for phase in begins_s.index))
    if not phases:
        return
    columns = (Column("treatment", "Framework"), *(Column(one, one, True) for one in phases))
    body = tuple(
        Row(name, (Cell(name), *(amount(begins_s.get(one), SECONDS, NO_PHASE) for one in phases)))
        for name, begins_s in by_name.items()
    )
    yield Table(
        key, "When each phase first begins", columns, body, context, "seconds since the measured window began"
    )
