"""A quantity has one unit on the whole page, in every table and on every axis, however far its numbers lie apart."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from harness.analysis.quantities import named, of_a_unit
from harness.analysis.quantity import Scope
from harness.analysis.summary import Analysis
from reports.formats import SCALES
from reports.render import render
from reports.units import unit_of
from tests.campaigns import Recipe, build
from tests.harness.analysis.test_serving import GENERATES
from tests.reports.scrape import Page

pytestmark = pytest.mark.unhurried

# A thousand seconds beside one: 40 J beside 60 kJ, and neither is the other's phase.
SPREAD = Recipe(
    frameworks={"torch": 1.0, "jax": 1.4}, blocks=2, seconds=1.0, period_s=0.5, more_workloads=("svm",),
    apart={("svm", "torch"): 1500.0, ("svm", "jax"): 1400.0}, control_s=2.0,
)  # fmt: skip
# What is told of the plan and of the machine is no cost of a run, and has the unit that it needs.
OF_NO_RUN = {"plan", "machine", "channels", "measured"}
SYMBOLS = {symbol: base for base, scales in SCALES.items() for _, symbol in scales}
SHOWN = re.compile(r"^[−\d.,\u202f]+\u202f([^\d\s]\S*)")
AXIS = re.compile(r"\(([^()]+)\)$")


def told(page: Page) -> Iterator[tuple[str, str]]:
    """Each number of the tables: of which quantity it is, and its unit."""
    for table, rows in page.cells.items():
        if table.rstrip("-0123456789") in OF_NO_RUN:
            continue
        for row, cells in rows.items():
            for column, cell in cells.items():
                if (found := SHOWN.match(cell.text)) and (base := SYMBOLS.get(found[1])):
                    yield _family(base, column, row.partition(" ")[0]), found[1]


def _family(base: str, *names: str) -> str:
    """By the column's quantity, or the row's; what is of neither is of runs."""
    for name in names:
        try:
            return named(name).family
        except KeyError:
            continue
    return base


def one_each(page: Page) -> dict[str, str]:
    units: dict[str, set[str]] = defaultdict(set)
    for family, symbol in told(page):
        units[family].add(symbol)
    assert {family: several for family, several in units.items() if len(several) > 1} == {}
    return {family: several.pop() for family, several in units.items()}


def axes(page: Page) -> set[str]:
    """The units in the titles of all axes."""
    titles = re.findall(
        r'"title":"([^"]*)"', json.dumps(json.loads(page.packed("charts")), separators=(",", ":"))
    )
    found = {match[1] for title in titles if (match := AXIS.search(title.encode().decode("unicode_escape")))}
    return found & set(SYMBOLS)


@pytest.fixture(scope="module")
def spread(tmp_path_factory: pytest.TempPathFactory) -> Page:
    return Page(render(build(tmp_path_factory.mktemp("spread") / "c", SPREAD)))


def test_a_quantity_has_one_unit_in_all_tables(spread: Page) -> None:
    found = one_each(spread)
    assert found["J"] == "kJ" and found["s"] == "s" and found["bytes"] == "MB" and found["W"] == "W"
    sizes = [abs(float(cell["energy_j"].value or 0)) for cell in spread.cells["runs-table"].values()]
    assert max(sizes) > 50_000 and 0 < min(sizes) < 100  # 0.0440 kJ, as all others


def test_its_axes_have_it_too_and_so_have_the_sentences(spread: Page) -> None:
    found = one_each(spread)
    assert axes(spread) <= {*found.values(), "s"} and {"kJ", "s"} <= axes(spread)
    assert not re.search(r"\d\u202f(J|MJ|mJ) a run", spread.text) and "\u202fkJ a run" in spread.text


def test_what_a_stage_counts_has_the_unit_of_its_samples() -> None:
    """A row with 0.131 mJ per sample and 131 µJ per interaction tells one number twice."""
    typical = {"J per sample": 2e-3, "J per interaction": 2e-4, "J": 200.0, "J per prompt_token": 2e-5}
    analysis = cast(Analysis, SimpleNamespace(typical=typical))
    per_interaction = of_a_unit("interaction")[0]
    assert unit_of(analysis, per_interaction) == unit_of(analysis, named("stage_energy_j_per_sample"))
    assert unit_of(analysis, per_interaction).symbol == "mJ"
    assert unit_of(analysis, named("stage_energy_j_per_epoch")).symbol == "J"
    assert unit_of(analysis, named("prefill_energy_j_per_prompt_token")).symbol == "µJ"


def test_tokens_and_requests_have_units_of_their_own_each_one(tmp_path: Path) -> None:
    recipe = replace(
        GENERATES, blocks=2, seconds=2.0, settings=tuple({"predict_batch_size": n} for n in (1, 8))
    )
    page = Page(render(build(tmp_path / "c", recipe)))
    found = one_each(page)
    per_token = named("decode_energy_j_per_generated_token")
    assert per_token.scope is Scope.PARTS and found[per_token.family] != found["J"]
