"""suite statistics on stored campaigns."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from harness.analysis.significance import PAIRED
from tests.campaigns import Recipe, build
from tests.harness.cli.conftest import Answer

Suite = Callable[..., Answer]


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    recipe = Recipe(frameworks={"torch": 1.0, "tensorflow": 1.2, "jax": 1.001}, blocks=12, noise=0.02)
    return build(tmp_path_factory.mktemp("three") / "c", recipe).folder


@pytest.mark.parametrize("test", PAIRED)
def test_every_paired_test_is_reached_by_its_name(suite: Suite, three: Path, test: str) -> None:
    answer = suite("statistics", three, "--test", test, "--format", "csv")
    table = pd.read_csv(io.StringIO(answer.out)).dropna(subset=["p"])
    assert answer.code == 0 and set(table["test"]) == {test}
    worse = table.set_index("treatment").loc["tensorflow 2.21.0"]
    assert worse["smallest_p"] <= worse["p"] < 0.01 < table["p"].max()


def test_three_treatments_are_ranked_all_at_once(suite: Suite, three: Path) -> None:
    out = suite("statistics", three).out
    assert "Friedman over 12 blocks and 3 treatments: p = 0.000" in out
    assert "apart differ (Nemenyi, 5 %)" in out and "tensorflow 2.21.0 3.00" in out
    (joined,) = [line for line in out.splitlines() if "not told apart" in line]
    assert "jax" in joined and "torch" in joined and "tensorflow" not in joined
    assert "all intervals of a table hold at once (Dunnett)" in out


def test_a_cleaning_rule_says_what_it_would_mark_and_changes_no_test(suite: Suite, three: Path) -> None:
    with_rule = suite("statistics", three, "--rule", "tukey", "--format", "csv")
    assert with_rule.out == suite("statistics", three, "--format", "csv").out
    assert "tukey marks" in with_rule.err and "of 36 runs" in with_rule.err


def test_how_errors_are_held_is_chosen_and_said(suite: Suite, three: Path) -> None:
    out = suite("statistics", three, "--errors", "holm").out
    assert "corrected by Holm" in out
    wrong = suite("statistics", three, "--errors", "none")
    assert wrong.code == 2 and "none" in wrong.err


def test_where_every_comparison_is_void_the_reason_is_told_and_nothing_else(
    suite: Suite, tmp_path: Path
) -> None:
    recipe = Recipe(frameworks={"sklearn@1.8.0": 1.0, "sklearn@1.9.1": 1.1}, workload="svm", blocks=3)
    answer = suite("statistics", build(tmp_path / "c", recipe).folder)
    assert "nothing to test: one-implementation: no other implementation" in answer.out
    assert "one treatment" not in answer.out and "intervals" not in answer.out
