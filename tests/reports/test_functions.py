"""The section of profiled runs: its tables are the analysis, and the page of a campaign that only profiles is whole."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.analysis.function_costs import together
from harness.analysis.profile_pairs import pairs
from harness.analysis.summary import Analysis, analyse
from harness.attribution.functions import OTHERS
from harness.profiling import stacks_file
from harness.profiling.stacks_file import STACKS_FILE
from harness.profiling.trace import SeenStacks
from harness.records import Outcome
from harness.store import Campaign
from reports.render import render
from tests.campaigns import Recipe
from tests.profiled import build_profiled
from tests.reports.scrape import Page

pytestmark = pytest.mark.unhurried

TWO = Recipe(frameworks={"torch": 1.0, "jax": 1.5}, blocks=1, meter="estimate")


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return build_profiled(tmp_path_factory.mktemp("two") / "c", TWO)


@pytest.fixture(scope="module")
def analysis(campaign: Campaign) -> Analysis:
    return analyse(campaign)


@pytest.fixture(scope="module")
def page(campaign: Campaign) -> Page:
    return Page(render(campaign))


def test_every_function_on_the_page_is_the_analysis(page: Page, analysis: Analysis) -> None:
    for number, run in enumerate(analysis.profiles.told, 1):
        table = f"functions-table-{number}"
        assert list(page.cells[table]) == run.costs.rows["function"].tolist()
        for row in run.costs.rows.itertuples():
            for column in ("joules", "share", "seconds", "power_w"):
                assert page.value(table, row.function, column) == getattr(row, column)
            assert "±" in page.cells[table][row.function]["joules"].text
    assert page.cells["functions-table-1"]["torch.nn.functional.relu"]["type"].text == "complex calculation"
    assert page.cells["functions-table-1"]["numpy.core.load"]["type"].text == "unknown"


def test_functions_that_the_meter_tells_as_one_are_named_with_their_joules(
    page: Page, analysis: Analysis
) -> None:
    for number, run in enumerate(analysis.profiles.told, 1):
        found, table = together(run.costs), page.cells[f"functions-together-{number}"]
        for row, (sign, cells) in zip(found.itertuples(), table.items(), strict=True):
            assert all(name in cells["functions"].text for name in row.functions)
            assert page.value(f"functions-together-{number}", sign, "joules") == row.joules
            alike = page.cells[f"functions-table-{number}"]
            assert {name for name, one in alike.items() if one["alike"].text == sign} == set(row.functions)


def test_every_function_of_every_phase_on_the_page_is_the_analysis(page: Page, analysis: Analysis) -> None:
    for number, run in enumerate(analysis.profiles.told, 1):
        table = f"functions-phases-{number}"
        for row in run.costs.in_phases.itertuples():
            assert page.value(table, row.function, row.phase) == row.joules
        for row in run.costs.phases.itertuples():
            assert page.value(table, "all", row.phase) == row.joules


def test_the_balance_on_the_page_closes(page: Page, analysis: Analysis) -> None:
    for number, run in enumerate(analysis.profiles.told, 1):
        part = {
            key: page.value(f"functions-balance-{number}", key, "joules")
            for key in page.cells[f"functions-balance-{number}"]
        }
        assert part["functions"] + part["idle"] + part["nobody"] == pytest.approx(part["sum"], rel=1e-9)
        assert part["sum"] == pytest.approx(part["energy"], rel=1e-3)
        assert part["energy"] == run.costs.energy_j


def test_differences_on_the_page_are_the_analysis(page: Page, analysis: Analysis) -> None:
    (pair,) = pairs(analysis.profiles, analysis.reference)
    table = page.cells["differences-table-1"]
    for row in pair.rows.itertuples():
        assert page.value("differences-table-1", row.function, "difference") == row.difference_j
    assert "never seen in this run" in page.text
    assert table["jax.nn.functional.relu"]["reference"].value is None
    assert table["jax.nn.functional.relu"]["difference"].text.startswith("+")


def test_the_first_lines_answer_which_functions_cost_the_joules(page: Page) -> None:
    head = page.text[: page.text.index("Functions by joules")]
    assert "Which functions cost the joules of mnist_cnn" in head
    assert "attributed by sampling, not measured" in head and "ESTIMATED" in head
    assert "torch 2.13.0, mnist_cnn train:" in head and "torch.nn.functional.relu" in head
    assert "2 profiled runs: none is compared, or counts as measured." in head
    assert OTHERS not in head


def test_a_campaign_that_only_profiles_goes_without_what_is_of_counted_runs(page: Page) -> None:
    sections = [attributes["id"] for tag, attributes in page.tags if tag == "section"]
    assert sections == [
        "functions", "runs", "looking", "measured", "conformance", "validity", "provenance",
    ]  # fmt: skip
    assert ("a", {"class": "skip", "href": "#functions"}) in page.tags


def test_each_joule_says_that_it_was_attributed_and_of_what(page: Page) -> None:
    tables = [name for name in page.cells if name.startswith(("functions-", "differences-"))]
    kinds = {name.rpartition("-")[0] for name in tables}
    assert kinds == {
        "functions-table",
        "functions-together",
        "functions-phases",
        "functions-balance",
        "differences-table",
    }
    for table in tables:
        heads = [head for head in page.headers[table] if head.endswith("estimated")]
        assert heads, table
    assert page.text.count("attributed by sampling, not measured") >= 6


def test_profiled_runs_stand_beside_what_is_compared_and_change_nothing_of_it(tmp_path: Path) -> None:
    recipe = replace(TWO, blocks=3)
    page = Page(render(build_profiled(tmp_path / "c", recipe, measured=(1, 2))))
    sections = [attributes["id"] for tag, attributes in page.tags if tag == "section"]
    assert sections[0] == "overview" and "functions" in sections
    assert {"work-1-verdict", "work-1-costs"} <= set(sections)
    assert page.value("costs-whole-1", "torch 2.13.0", "runs") == 2
    assert "What mnist_cnn costs" in page.text


def test_a_campaign_without_profiled_runs_has_no_such_section(tmp_path: Path) -> None:
    page = render(build_profiled(tmp_path / "c", TWO, measured=(1,)))
    assert 'id="functions"' not in page and "FlameGraph" not in page


def test_runs_that_cannot_be_told_are_on_the_page_with_their_reason(tmp_path: Path) -> None:
    campaign = build_profiled(tmp_path / "c", TWO)
    (campaign.runs[0].folder / STACKS_FILE).unlink()
    page = Page(render(campaign))
    assert "Not told: " in page.text and "has no stacks" in page.text


def test_a_page_of_which_no_run_can_be_told_says_so_at_once(tmp_path: Path) -> None:
    outcomes = {("torch", 1): Outcome.FAILED, ("jax", 1): Outcome.FAILED}
    page = Page(render(build_profiled(tmp_path / "c", replace(TWO, outcomes=outcomes))))
    assert "of no run can they be told; below is why." in page.text
    assert page.text.count("Not told: failed: the worker ended with exit code 1") == 2


def test_a_campaign_that_has_not_begun_to_profile_has_a_page(tmp_path: Path) -> None:
    page = Page(render(build_profiled(tmp_path / "c", replace(TWO, unfinished=2))))
    assert "No run counts, 2 of the plan not carried out." in page.text


@pytest.mark.parametrize("looks", [0, 1, 2])
def test_a_run_of_hardly_a_look_has_its_balance_all_the_same(tmp_path: Path, looks: int) -> None:
    campaign = build_profiled(tmp_path / "c", TWO)
    for run in campaign.runs:
        seen = stacks_file.read(run.folder)
        stacks_file.write(run.folder, SeenStacks(seen.t_ns[:looks], seen.stacks[:looks]))
    page = Page(render(campaign))
    for number in (1, 2):
        total, energy = (
            page.value(f"functions-balance-{number}", key, "joules") for key in ("sum", "energy")
        )
        assert total == pytest.approx(energy, rel=1e-3)
    assert ("no function can be named" in page.text) is (looks < 2)


def test_the_same_bytes_come_out_every_time(campaign: Campaign) -> None:
    assert render(campaign) == render(campaign)
