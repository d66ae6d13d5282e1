"""What a kilowatt-hour stands for by the user's own word: emissions, money. Nothing is assumed; each has its source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

J_PER_WH, J_PER_KWH = 3600.0, 3.6e6
ENERGY = "energy_j"  # of whole runs: what is bought, idle power included
CO2E = "gCO2e"


@dataclass(frozen=True)
class Factor:
    """`per_kwh` of `unit` ("gCO2e", "EUR") for each kilowatt-hour, as `source` says; `title` heads its column."""

    title: str
    unit: str
    per_kwh: float
    source: str

    @property
    def column(self) -> str:
        """Of tables that are exported: "emissions_gco2e"."""
        return f"{self.title}_{self.unit}".lower()

    def of(self, energy_j: float | None) -> float | None:
        return None if energy_j is None else energy_j / J_PER_KWH * self.per_kwh

    @property
    def words(self) -> str:
        return f"{self.per_kwh:g} {self.unit} per kWh, by {self.source}"


def emissions(grams_per_kwh: float, source: str) -> Factor:
    return Factor("Emissions", CO2E, grams_per_kwh, source)


def money(per_kwh: float, currency: str, source: str) -> Factor:
    return Factor("Money", currency, per_kwh, source)


def rows(costs: Iterable[dict[Any, Any]], factors: Sequence[Factor]) -> Iterator[dict[str, Any]]:
    """Of rows of COST_COLUMNS those of whole runs' energy, in kWh too, and by each factor, which stands beside it.

    `provenance` is that of the joules. An unknown energy leaves the amounts unknown.
    """
    for row in costs:
        if row["quantity"] == ENERGY:
            yield _row(row, factors)


def _row(row: dict[Any, Any], factors: Sequence[Factor]) -> dict[str, Any]:
    mean = row["mean"]
    energy_j = None if mean is None or mean != mean else float(mean)
    found = {
        **{name: row[name] for name in ("workload", "dataset", "stage", "device", "settings", "treatment")},
        "provenance": row["provenance"],
        "energy_kwh": None if energy_j is None else energy_j / J_PER_KWH,
    }
    for one in factors:
        found |= {
            one.column: one.of(energy_j),
            f"{one.column}_per_kwh": one.per_kwh,
            f"{one.title.lower()}_source": one.source,
        }
    return found
