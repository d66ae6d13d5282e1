"""The energy of a run in what the user said a kilowatt-hour stands for: a table beside the costs, with its sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.analysis.groups import TREATMENT, Group
from harness.analysis.stated import ENERGY, J_PER_WH, Factor
from harness.analysis.summary import Analysis
from harness.records import Provenance
from reports.formats import Unit, known, unit_for
from reports.parts import Cell, Column, Row, Table, amount
from reports.wording import only

DETAIL = "geometric means of energy over runs, times what whoever asked for this page stated"


def stated_tables(analysis: Analysis, group: Group, index: int, provenance: str) -> Iterator[Table]:
    """None where nothing was stated. `provenance`: that of the group's joules."""
    factors = analysis.stated
    if not factors:
        return
    found = only(group.select(analysis.costs), quantity=ENERGY)
    rows = {str(row[TREATMENT]): row for row in found.to_dict("records")}
    units = _units(analysis.typical.get("J"), factors)
    mixed = provenance.startswith("mixed")
    yield Table(
        f"costs-stated-{index + 1}",
        f"{' and '.join(one.title.lower() for one in factors).capitalize()} of a run",
        (Column(TREATMENT, "Framework"), *_columns(factors, provenance)),
        tuple(Row(name, tuple(_cells(name, rows[name], factors, units, mixed))) for name in group.treatments),
        group.title,
        f"{DETAIL}. {'; '.join(f'{one.title}: {one.words}' for one in factors)}",
    )


def _columns(factors: Sequence[Factor], provenance: str) -> Iterator[Column]:
    """Nobody measures emissions or money: of measured joules they are derived, of others no better than these."""
    yield Column(ENERGY, "Energy", True, provenance)
    yield Column("energy_kwh", "Electricity", True, provenance)
    derived = str(Provenance.DERIVED) if provenance == Provenance.MEASURED else provenance
    yield from (Column(one.column, one.title, True, derived) for one in factors)


def _units(typical_j: float | None, factors: Sequence[Factor]) -> Mapping[str, Unit]:
    """One each for the whole page."""
    return {
        ENERGY: unit_for([typical_j], "J"),
        "energy_kwh": unit_for([None if typical_j is None else typical_j / J_PER_WH], "Wh"),
        **{one.column: unit_for([one.of(typical_j)], one.unit) for one in factors},
    }


def _cells(
    name: str, row: Mapping[Any, Any], factors: Sequence[Factor], units: Mapping[str, Unit], mixed: bool
) -> Iterator[Cell]:
    """Where joules are of several kinds, each number says its own."""
    energy_j, minor = known(row["mean"]), str(row["provenance"]) if mixed else ""
    in_wh = None if energy_j is None else energy_j / J_PER_WH
    amounts = {ENERGY: energy_j, "energy_kwh": in_wh, **{one.column: one.of(energy_j) for one in factors}}
    yield Cell(name)
    for key, value in amounts.items():
        yield amount(value, units[key], str(row["reason"]), minor=minor)
