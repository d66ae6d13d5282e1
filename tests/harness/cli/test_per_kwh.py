"""--carbon and --price: a factor has its source, or there is neither page nor file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from tests.campaigns import Recipe, build
from tests.harness.cli.conftest import Answer
from tests.reports.scrape import Page

pytestmark = pytest.mark.unhurried

Suite = Callable[..., Answer]
Refused = Callable[..., str]
CARBON = ("--carbon", "0.35kg/kWh", "--carbon-source", "a grid, 2025")
PRICE = ("--price", "0.30EUR/kWh", "--price-source", "a tariff")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("kwh") / "c", Recipe(blocks=1, meter="estimate")).folder


@pytest.mark.parametrize(
    "carbon", ["0.35kg/kWh", "350g/kWh", "350 gCO2e/kWh", "3.5e2g/kwh", "0.35 kgCO2e / kWh"]
)
def test_a_page_tells_what_was_stated_in_grams(
    suite: Suite, folder: Path, tmp_path: Path, carbon: str
) -> None:
    page = tmp_path / "r.html"
    answer = suite("report", folder, "--carbon", carbon, "--carbon-source", "a  grid,\n2025", "-o", page)
    assert answer.code == 0, answer.err
    text = Page(page.read_text()).text
    assert "Emissions: 350 gCO2e per kWh, by a grid, 2025" in text and "Money" not in text


def test_every_table_format_has_it_with_factor_source_and_provenance(
    suite: Suite, folder: Path, tmp_path: Path
) -> None:
    for form in ("csv", "parquet", "json", "latex"):
        assert suite("export", folder, "--format", form, "-o", tmp_path, *CARBON, *PRICE).code == 0
    for rows in (
        pd.read_csv(tmp_path / "stated.csv"),
        pd.read_parquet(tmp_path / "stated.parquet"),
        pd.DataFrame(json.loads((tmp_path / "tables.json").read_text())["stated"]),
    ):
        assert len(rows) == 2 and set(rows["provenance"]) == {"estimated"}
        assert list(rows["emissions_gco2e"]) == pytest.approx(list(350 * rows["energy_kwh"]))
        assert list(rows["money_eur"]) == pytest.approx(list(0.3 * rows["energy_kwh"]))
        assert set(rows["emissions_source"]) == {"a grid, 2025"} and set(rows["money_source"]) == {"a tariff"}
    assert "0.3 EUR per kWh, by a tariff" in (tmp_path / "costs.tex").read_text()


def test_without_a_factor_no_file_speaks_of_it(suite: Suite, folder: Path, tmp_path: Path) -> None:
    assert suite("export", folder, "-o", tmp_path).code == 0
    assert not (tmp_path / "stated.csv").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--carbon", "350gCO2/kWh", "--carbon-source", "x"),
            "write it as 350g/kWh",
        ),  # which are no equivalents
        (("--carbon", "350g/kWh"), '--carbon needs its source: --carbon-source "'),
        (("--carbon", "350g/kWh", "--carbon-source", " "), "--carbon needs its source"),
        (("--carbon-source", "a grid"), "--carbon-source says whose --carbon is: state --carbon, too"),
        (("--price", "0.3EUR/kWh"), "--price needs its source"),
        (("--price-source", "x"), "state --price, too"),
        (("--carbon", "350"), "'350' is no emission per kilowatt-hour above 0; write it as 350g/kWh"),
        (("--carbon", "0g/kWh", *CARBON[2:]), "above 0"),
        (("--carbon", "-3g/kWh", *CARBON[2:]), "is no emission"),
        (("--carbon", "nang/kWh", *CARBON[2:]), "is no emission"),
        (("--carbon", "1e999g/kWh", *CARBON[2:]), "is no emission"),
        (("--carbon", "350g/MWh", *CARBON[2:]), "is no emission"),
        (
            ("--price", "0.3/kWh", *PRICE[2:]),
            "is no price per kilowatt-hour above 0; write it as 0.30EUR/kWh",
        ),
        (("--price", "0.3euro/kWh", *PRICE[2:]), "is no price"),
        (("--price", "0.3EUR/kWh", "--price-source", "x" * 301), "one printable line of at most 300 letters"),
        (("--price", "0.3EUR/kWh", "--price-source", "a\x1b[31mb"), "one printable line"),
        (("--carbn", "350g/kWh"), "did you mean '--carbon'?"),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_written(
    refused: Refused, folder: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    for command, place in (("report", tmp_path / "r.html"), ("export", tmp_path / "out")):
        assert said in refused(command, folder, *words, "-o", place)
    assert list(tmp_path.iterdir()) == []


def test_a_bundle_is_of_its_campaign_alone(refused: Refused, folder: Path, tmp_path: Path) -> None:
    said = refused("export", folder, "--format", "bundle", "-o", tmp_path / "out", *PRICE)
    assert "leave out --carbon and --price" in said and not (tmp_path / "out").exists()
