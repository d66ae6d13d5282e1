"""Emissions and money stand on a page only where somebody stated a factor, with it and its source beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.analysis.stated import J_PER_KWH, emissions, money
from reports.latex import latex
from reports.render import render
from tests.campaigns import Recipe, build
from tests.reports.scrape import Page
from tests.reports.test_latex import tables

FACTORS = (emissions(350.0, "the grid's operator, 2025"), money(0.3, "EUR", "a tariff <b>"))
TABLE, NAME = "costs-stated-1", "tensorflow 2.21.0"


def page_of(folder: Path, recipe: Recipe) -> Page:
    return Page(render(build(folder / "c", recipe), stated=FACTORS))


def test_each_amount_is_its_joules_times_the_factor_that_is_told_with_its_source(tmp_path: Path) -> None:
    page = page_of(tmp_path, Recipe(blocks=2, stages=("train", "infer")))
    for index in (1, 2):
        joules = page.value(f"costs-whole-{index}", NAME, "energy_j")
        assert joules is not None
        for column, factor in (("energy_j", J_PER_KWH), ("emissions_gco2e", 350.0), ("money_eur", 0.3)):
            many = 1 if column == "energy_j" else 1000
            assert page.value(f"costs-stated-{index}", NAME, column) == pytest.approx(
                many * joules / J_PER_KWH * factor
            )
        in_wh = page.value(f"costs-stated-{index}", NAME, "energy_kwh")
        assert in_wh == pytest.approx(1000 * joules / 3600)
    assert "Emissions: 350 gCO2e per kWh, by the grid's operator, 2025" in page.text
    assert "Money: 0.3 EUR per kWh, by a tariff <b>" in page.text  # as text, or the page would not be read


@pytest.mark.parametrize(
    ("meter", "energy", "amounts"),
    [("rapl", "measured", "derived"), ("estimate", "estimated", "estimated"), ("simulated",) * 3],
)
def test_each_column_says_what_its_joules_are_and_nobody_measured_emissions(
    tmp_path: Path, meter: str, energy: str, amounts: str
) -> None:
    page = page_of(tmp_path, Recipe(blocks=1, meter=meter))
    assert [one.strip() for one in page.headers[TABLE]] == [
        "Framework", f"Energy of a run {energy}", f"Electricity {energy}", f"Emissions {amounts}", f"Money {amounts}",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("watts", "words"),
    [(40.0, "of 1\u202f000 runs"), (4e5, "of a run"), (0.04, "of 1\u202f000\u202f000 runs")],
)
def test_it_is_of_so_many_runs_that_a_bill_would_show_it(tmp_path: Path, watts: float, words: str) -> None:
    page = page_of(tmp_path, Recipe(blocks=1, watts=watts, dram_watts=watts / 10))
    assert f"Emissions and money {words}" in page.text
    shown = page.cells[TABLE][NAME]
    assert "0.000" not in shown["money_eur"].text and "mWh" not in shown["energy_kwh"].text


def test_where_no_joules_are_known_no_amount_is(tmp_path: Path) -> None:
    page = page_of(tmp_path, Recipe(blocks=1, meter=None))
    cells = list(page.cells[TABLE][NAME].values())[1:]
    assert len(cells) == 4 and all(one.value is None and "–" in one.text for one in cells)


def test_nothing_of_it_is_shown_where_nobody_stated_a_factor(tmp_path: Path) -> None:
    page = Page(render(build(tmp_path / "c", Recipe(blocks=1))))
    assert TABLE not in page.cells
    assert not any(word in page.text for word in ("CO2", "CO₂", "kWh", "EUR"))


def test_a_paper_gets_it_as_latex(tmp_path: Path) -> None:
    (*_, table) = tables(tmp_path, Recipe(blocks=1), FACTORS)
    text = latex([table], "Energy is measured.")
    assert "g CO$_2$e" in text and "mg" not in text and "CO₂" not in text and "350 gCO2e per kWh" in text
