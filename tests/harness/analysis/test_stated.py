"""Joules into kilowatt-hours, emissions and money: by what the user stated, and nothing else."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.analysis.stated import J_PER_KWH, emissions, money, rows

POSITIVE = st.floats(1e-9, 1e9)
GRID, TARIFF = emissions(350.0, "a grid"), money(0.3, "EUR", "a tariff")
COST = {
    "workload": "svm", "dataset": "digits", "stage": "train", "device": "cpu", "settings": "{}",
    "treatment": "torch 2.13.0", "quantity": "energy_j", "provenance": "estimated", "mean": 7.2e6,
}  # fmt: skip


@given(POSITIVE, POSITIVE)
def test_a_kilowatt_hour_stands_for_the_factor_and_twice_the_joules_for_twice_as_much(
    per_kwh: float, energy_j: float
) -> None:
    one = money(per_kwh, "CHF", "a tariff")
    assert one.of(J_PER_KWH) == pytest.approx(per_kwh)
    assert one.of(2 * energy_j) == pytest.approx(2 * (one.of(energy_j) or 0))


def test_each_row_carries_amount_factor_source_and_what_the_joules_are() -> None:
    (row,) = rows([COST, {**COST, "quantity": "duration_s"}], (GRID, TARIFF))
    assert row["energy_kwh"] == 2.0 and row["provenance"] == "estimated"
    assert (row["emissions_gco2e"], row["emissions_gco2e_per_kwh"], row["emissions_source"]) == (
        700.0, 350.0, "a grid",
    )  # fmt: skip
    assert (row["money_eur"], row["money_eur_per_kwh"], row["money_source"]) == (0.6, 0.3, "a tariff")


@pytest.mark.parametrize("unknown", [None, float("nan"), pd.NA])
def test_unknown_joules_are_unknown_emissions_and_never_none(unknown: object) -> None:
    (row,) = rows([{**COST, "mean": None if unknown is pd.NA else unknown}], (GRID,))
    assert row["energy_kwh"] is None and row["emissions_gco2e"] is None
    assert row["emissions_gco2e_per_kwh"] == 350.0
