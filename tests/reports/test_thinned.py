"""Of very many runs a page shows some, evenly, with the extremes and those that do not count; and says so."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports import thinned
from reports.render import render
from tests.campaigns import Recipe, build
from tests.many_runs import many_runs
from tests.reports.scrape import Page

pytestmark = pytest.mark.unhurried

TWO = Recipe(frameworks={"torch": 1.0, "jax": 0.9}, blocks=2, noise=0.03, seconds=4.0, epochs=2)
FEW, MANY = 100, 2_400


@given(st.integers(0, 5000), st.integers(2, 300))
def test_an_even_choice_has_both_ends_and_no_more_than_it_may(count: int, most: int) -> None:
    kept = thinned.even(count, most)
    assert len(kept) == count and kept.sum() == min(count, most)
    if count:
        assert kept[0] and kept[-1]


@given(st.integers(2, 5000), st.integers(2, 300))
def test_gaps_of_an_even_choice_differ_by_one_at_most(count: int, most: int) -> None:
    gaps = pd.Series(thinned.even(count, most).nonzero()[0]).diff().dropna()
    assert gaps.empty or gaps.max() - gaps.min() <= 1


@given(st.lists(st.floats(-1e6, 1e6) | st.none(), min_size=1, max_size=400), st.integers(4, 50))
def test_least_and_greatest_values_are_always_drawn(values: list[float | None], most: int) -> None:
    runs = pd.DataFrame({"treatment": "a", "value": pd.Series(values, dtype="float64")})
    drawn = thinned.marks(runs, most=most)
    assert len(drawn) <= most and drawn.index.is_monotonic_increasing
    known = runs["value"].dropna()
    if len(known):
        assert {known.min(), known.max()} <= set(drawn["value"])
    if len(runs) <= most:
        pd.testing.assert_frame_equal(drawn, runs)


def test_each_framework_keeps_its_own() -> None:
    runs = pd.DataFrame({"treatment": ["a"] * 900 + ["b"] * 3, "value": range(903)})
    counts = thinned.marks(runs)["treatment"].value_counts()
    assert counts["b"] == 3 and counts["a"] <= thinned.MOST_MARKS


def test_runs_of_a_single_block_are_counted_in_a_line_and_not_drawn_over_the_blocks(tmp_path: Path) -> None:
    """A slope over one block is none: a budget that looked at each work once drew two charts of it for each."""
    works = Recipe(blocks=1, more_workloads=("mnist_mlp",))
    page = render(build(tmp_path / "one", works))
    assert (
        "runs-figure-" not in page and "Runs of 2 works are not drawn: a single block shows no drift." in page
    )
    page = render(build(tmp_path / "two", replace(works, blocks=2)))
    assert page.count('id="runs-figure-') == 2 and "shows no drift" not in page


def test_a_list_has_the_runs_that_do_not_count_first_of_all() -> None:
    runs = pd.DataFrame({"run_id": range(9000), "exclusion": ""})
    runs.loc[[5, 4001, 8999], "exclusion"] = "failed"
    listed = thinned.rows(runs)
    assert len(listed) == thinned.MOST_ROWS and listed["run_id"].is_monotonic_increasing
    assert {5, 4001, 8999} <= set(listed["run_id"])


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[int, str]:
    """Of few runs and of ten times as many."""
    found = {}
    for runs in (FEW, MANY):
        with many_runs(tmp_path_factory.mktemp("many"), runs, TWO) as campaign:
            found[runs] = render(campaign)
    return found


def test_ten_times_the_runs_make_no_page_twice_as_heavy(pages: dict[int, str]) -> None:
    rows = {runs: len(Page(page).cells["runs-table"]) for runs, page in pages.items()}
    assert rows == {FEW: FEW, MANY: thinned.MOST_ROWS}
    a_row = 1_200  # bytes, in the table and in the charts' data
    assert len(pages[MANY]) - len(pages[FEW]) < a_row * (thinned.MOST_ROWS - FEW)


def test_what_is_left_out_is_said_with_the_command_that_has_it(pages: dict[int, str]) -> None:
    texts = {runs: re.sub(r"\s+", " ", page.replace("\u202f", " ")) for runs, page in pages.items()}
    assert "1 000 of 2 400 runs are listed, those that do not count first; suite export" in texts[MANY]
    assert f"Of 2 400 runs at most {thinned.MOST_MARKS} of each framework are drawn" in texts[MANY]
    assert "runs are listed" not in texts[FEW]


def test_statistics_are_of_all_runs(pages: dict[int, str]) -> None:
    assert re.search(r'data-row="duration_s jax[^"]*".{0,900}>1200<', pages[MANY], re.DOTALL)


def test_no_page_names_a_folder(pages: dict[int, str], tmp_path: Path) -> None:
    assert str(tmp_path.parent) not in pages[MANY]


def test_nothing_claims_to_be_every_run_where_some_are_left_out(pages: dict[int, str]) -> None:
    every = (
        "Every run that counts is there",
        "One mark per run that counts",
        "All runs as a table",
        "Every stored run",
    )
    assert all(words in pages[FEW] for words in every)
    assert not any(words in pages[MANY] for words in every)
