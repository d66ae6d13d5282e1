"""Whose the joules are that were read while a framework's operators were recorded: parts that add up to the whole."""

from __future__ import annotations

from harness.analysis.operator_joules import SHARED, OperatorJoules
from reports.formats import THIN, number, unit_for
from reports.parts import Cell, Column, Row, Table, amount

BOUNDS = (
    f"Energy is {SHARED}: each operator has the share of the joules that it has of the time. Below it is what the "
    "meter read in as many seconds of least power, and of most; side by side with others it may be less or more."
)


def of_run(joules: OperatorJoules, key: str, title: str) -> Table:
    shares = joules.shares
    without_s = joules.recorded_s - joules.covered_s
    parts = {
        "operators": ("All operators", float(shares.joules.sum())),
        "nothing": (f"Not attributed: no operator in {number(without_s)}{THIN}s", shares.nothing_j),
        "idle": ("At rest: the idle machine's power over the time", shares.idle_j),
        "sum": ("Sum", shares.total_j),
        "energy": ("The energy of what was recorded, as the meter has it", joules.energy_j),
    }
    unit = unit_for([joules.energy_j], "J")
    unsure = "" if joules.half_width_j is None else f"±{THIN}{unit.text(joules.half_width_j, 2)}"
    columns = (Column("part", "Part"), Column("joules", "Energy", True, joules.provenance))
    body = tuple(
        Row(name, (Cell(words), amount(value, unit, minor=unsure if name == "energy" else "", digits=5)))
        for name, (words, value) in parts.items()
    )
    detail = f"in {number(joules.recorded_s)}{THIN}s of the first epoch or pass"
    return Table(key, "Balance", columns, body, title, detail, pairs=True)


def remark(joules: OperatorJoules) -> str:
    """How the joules of operators came about."""
    if joules.told_apart:
        return BOUNDS
    return f"Energy is {SHARED}. The meter read {joules.readings} times meanwhile: too seldom for its least and most."
