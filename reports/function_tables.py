"""Tables of what was attributed to functions: by joules, by phase, and the balance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.analysis.function_costs import FunctionCosts, letters, together
from harness.analysis.function_types import FunctionTypes
from reports.formats import THIN, Unit, listed, number, unit_for
from reports.parts import Cell, Column, Row, Table, amount

SAMPLED = "attributed by sampling, not measured"
WATTS = Unit(1.0, "W")
ALIKE = "Functions with the same letter alternate too fast for the meter to tell their powers apart: they share one."
WAITED = "What other threads and a GPU used is with the function that waited for them meanwhile."
OWN = "Own joules, above what the machine draws at rest, and time: without the functions that each one calls."
TYPES = (
    "Types are those of Georgiou et al. (ICSE 2022) for what their tables name; a file function_types.csv in the "
    "campaign's folder adds others. unknown: nobody has said."
)


def of_run(costs: FunctionCosts, types: FunctionTypes, title: str, index: int) -> Iterator[Table]:
    yield _functions(costs, types, title, index)
    if (costs.rows["group"] >= 0).any():
        yield _together(costs, title, index)
    yield _phases(costs, title, index)
    yield _balance(costs, title, index)


def _functions(costs: FunctionCosts, types: FunctionTypes, title: str, index: int) -> Table:
    rows, unit = costs.rows, unit_for(costs.rows["joules"], "J")
    signs = letters(rows["group"].tolist())
    columns = (
        Column("function", "Function"), Column("joules", "Energy", True, costs.provenance),
        Column("share", "Share", True), Column("seconds", "Time", True),
        Column("power_w", "Mean power", True, costs.provenance), Column("type", "Type"), Column("alike", "Alike"),
    )  # fmt: skip
    times = unit_for(rows["seconds"], "s")
    body = tuple(
        Row(row["function"], _cells(row, types.of(row["function"]), sign, (unit, times)))
        for row, sign in zip(rows.to_dict("records"), signs, strict=True)
    )
    remarks = (OWN, WAITED, *([ALIKE] if any(signs) else []), TYPES)
    return Table(
        f"functions-table-{index + 1}", "Functions by joules", columns, body, title, SAMPLED, remarks=remarks
    )


def _cells(row: dict[Any, Any], kind: str, sign: str, units: tuple[Unit, Unit]) -> tuple[Cell, ...]:
    """`units`: of joules and of seconds."""
    joules, seconds = units
    return (
        Cell(row["function"]), told(row["joules"], row["half_width_j"], joules), _share(row["share"]),
        amount(row["seconds"], seconds), amount(row["power_w"], WATTS), Cell(kind), Cell(sign),
    )  # fmt: skip


def _share(value: float) -> Cell:
    return Cell(f"{number(100 * value)}{THIN}%", repr(float(value)))


def told(joules: float, half_width_j: float, unit: Unit) -> Cell:
    """Joules, and below them the half-width of their interval."""
    return amount(joules, unit, minor=f"±{THIN}{unit.text(half_width_j, 2)}")


def _together(costs: FunctionCosts, title: str, index: int) -> Table:
    """What the meter does tell: the joules of all of a letter."""
    found = together(costs)
    unit, times = unit_for(found["joules"], "J"), unit_for(found["seconds"], "s")
    columns = (
        Column("alike", "Alike"), Column("functions", "Functions, as one"),
        Column("joules", "Energy", True, costs.provenance), Column("seconds", "Time", True),
    )  # fmt: skip
    rows = zip(found.to_dict("records"), letters(found["group"].tolist()), strict=True)
    body = tuple(
        Row(
            sign,
            (
                Cell(sign), Cell(listed(row["functions"])), told(row["joules"], row["half_width_j"], unit),
                amount(row["seconds"], times),
            ),
        )
        for row, sign in rows
    )  # fmt: skip
    caption = "Functions that the meter tells as one"
    return Table(f"functions-together-{index + 1}", caption, columns, body, title, SAMPLED)


def _phases(costs: FunctionCosts, title: str, index: int) -> Table:
    """A row for each function that has one above; the first is the whole phase."""
    seen = costs.phases[costs.phases["joules"] != 0]
    unit = unit_for(seen["joules"], "J")
    columns = (
        Column("function", "Function"),
        *(Column(one, one, True, costs.provenance) for one in seen["phase"]),
    )
    whole = (told(row["joules"], row["half_width_j"], unit) for row in seen.to_dict("records"))
    cells = {
        (row["phase"], row["function"]): told(row["joules"], row["half_width_j"], unit)
        for row in costs.in_phases.to_dict("records")
    }
    rows = (
        Row(name, (Cell(name), *(cells.get((phase, name), Cell("")) for phase in seen["phase"])))
        for name in costs.rows["function"]
    )
    body = (Row("all", (Cell("all functions"), *whole)), *rows)
    return Table(
        f"functions-phases-{index + 1}", "Joules of functions by phase", columns, body, title, SAMPLED
    )


def _balance(costs: FunctionCosts, title: str, index: int) -> Table:
    found = costs.found
    parts = {
        "functions": ("All functions, as above", float(found.joules.sum())),
        "idle": ("At rest: the idle machine's power over the run", found.idle_j),
        "nobody": ("Not attributed: nothing was seen", found.nobody_j),
        "sum": ("Sum", found.total_j),
        "energy": ("The run's energy, as the meter has it", costs.energy_j),
    }
    unit = unit_for([costs.energy_j], "J")
    columns = (Column("part", "Part"), Column("joules", "Energy", True, costs.provenance))
    body = tuple(
        Row(key, (Cell(words), amount(value, unit, digits=5))) for key, (words, value) in parts.items()
    )
    return Table(
        f"functions-balance-{index + 1}", "Balance", columns, body, title, "parts and whole", pairs=True
    )
