"""The energy of a run in what the user said a kilowatt-hour stands for: a table beside the costs, with its sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.analysis.groups import TREATMENT, Group
from harness.analysis.stated import ENERGY, J_PER_WH, Factor
from harness.analysis.summary import Analysis
from harness.records import Provenance
from reports.formats import Unit, known, number, unit_for
from reports.parts import Cell, Column, Row, Table, amount
from reports.wording import only

MANY, LEAST_WH = (1, 1000, 1_000_000), 10.0
DETAIL = "geometric means of energy over runs, times what whoever asked for this page stated"


def stated_tables(analysis: Analysis, group: Group, index: int, provenance: str) -> Iterator[Table]:
    """None where nothing was stated. `provenance`: that of the group's joules."""
    factors = analysis.stated
    if not factors:
        return
    found = only(group.select(analysis.costs), quantity=ENERGY)
    rows = {str(row[TREATMENT]): row for row in found.to_dict("records")}
    many = _runs(analysis.typical.get("J"))
    units = _units(analysis.typical.get("J"), factors, many)
    mixed = provenance.startswith("mixed")
    yield Table(
        f"costs-stated-{index + 1}",
        f"{' and '.join(one.title.lower() for one in factors).capitalize()} of {_of(many)}",
        (Column(TREATMENT, "Framework"), *_columns(factors, provenance, many)),
        tuple(
            Row(name, tuple(_cells(name, rows[name], factors, units, mixed, many)))
            for name in group.treatments
        ),
        group.title,
        f"{DETAIL}. {'; '.join(f'{one.title}: {one.words}' for one in factors)}",
    )


def _runs(typical_j: float | None) -> int:
    """As many as have an electricity that can be read, as a bill is: nobody pays 0.0000232 EUR."""
    enough = (many for many in MANY if typical_j and typical_j * many >= LEAST_WH * J_PER_WH)
    return next(enough, MANY[-1]) if typical_j else 1


def _of(many: int) -> str:
    return "a run" if many == 1 else f"{number(many)} runs"


def _columns(factors: Sequence[Factor], provenance: str, many: int) -> Iterator[Column]:
    """Nobody measures emissions or money: of measured joules they are derived, of others no better than these."""
    yield Column(ENERGY, "Energy of a run", True, provenance)
    yield Column("energy_kwh", "Electricity", True, provenance)
    derived = str(Provenance.DERIVED) if provenance == Provenance.MEASURED else provenance
    yield from (Column(one.column, one.title, True, derived) for one in factors)


def _units(typical_j: float | None, factors: Sequence[Factor], many: int) -> Mapping[str, Unit]:
    """One each for the whole page."""
    of_all = None if typical_j is None else many * typical_j
    return {
        ENERGY: unit_for([typical_j], "J"),
        "energy_kwh": unit_for([None if of_all is None else of_all / J_PER_WH], "Wh"),
        **{one.column: unit_for([one.of(of_all)], one.unit) for one in factors},
    }


def _cells(
    name: str,
    row: Mapping[Any, Any],
    factors: Sequence[Factor],
    units: Mapping[str, Unit],
    mixed: bool,
    many: int,
) -> Iterator[Cell]:
    """Where joules are of several kinds, each number says its own."""
    energy_j, minor = known(row["mean"]), str(row["provenance"]) if mixed else ""
    of_all = None if energy_j is None else many * energy_j
    in_wh = None if of_all is None else of_all / J_PER_WH
    amounts = {ENERGY: energy_j, "energy_kwh": in_wh, **{one.column: one.of(of_all) for one in factors}}
    yield Cell(name)
    for key, value in amounts.items():
        yield amount(value, units[key], str(row["reason"]), minor=minor)
