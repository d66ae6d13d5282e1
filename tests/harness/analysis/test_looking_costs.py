"""What looking cost, from campaigns of known costs; its interval against scipy's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from harness.analysis import looking_costs as looking
from harness.analysis.looking_costs import LOOKING_COLUMNS, looking_costs
from harness.analysis.summary import Analysis, analyse
from harness.records import IMPORTED, Outcome, Profiler
from tests.campaigns import Recipe, build

SLOWER = 1.1
ALL_FAILED = {("torch", block): Outcome.FAILED for block in range(6, 10)}
RECIPE = Recipe(blocks=5, profile_runs=4, profiled={"session": SLOWER})


def analysed(folder: Path, **other: Any) -> Analysis:
    return analyse(build(folder, replace(RECIPE, **other)))


def found(analysis: Analysis) -> pd.DataFrame:
    return looking_costs(analysis.runs, analysis.groups).set_index(["treatment", "quantity"])


def test_what_looking_adds_lies_in_its_interval(tmp_path: Path) -> None:
    rows = found(analysed(tmp_path / "c"))
    assert set(rows["reason"]) == {""}
    for name in ("torch 2.13.0", "tensorflow 2.21.0"):
        for quantity, truth in (("duration_s", SLOWER), ("energy_j", SLOWER), ("mean_power_w", 1.0)):
            row = rows.loc[(name, quantity)]
            assert row["low"] < truth < row["high"]
            assert row["high"] / row["low"] < 1.1
            assert row["ratio"] == pytest.approx(row["profiled"] / row["measured"])
            assert (row["profiled_runs"], row["measured_runs"]) == (4, 5)


def test_each_profiler_has_its_own_cost(tmp_path: Path) -> None:
    """Of runs that all take as long, but for what each took besides."""
    tools = tuple(Profiler)
    analysis = analysed(tmp_path / "c", profile_tools=tools)
    rows = looking_costs(analysis.runs, analysis.groups)
    assert set(rows["profiler"]) == set(map(str, tools)) and set(rows["profiled_runs"]) == {4}
    assert (rows.groupby(["treatment", "quantity"], sort=False).size() == len(tools)).all()
    runs = analysis.runs[(analysis.runs["treatment"] == "torch 2.13.0")]
    means = np.log(runs["duration_s"]).groupby(runs["profiler"].fillna("none")).mean()
    shown = rows[(rows["treatment"] == "torch 2.13.0") & (rows["quantity"] == "duration_s")]
    for tool, ratio in zip(shown["profiler"], shown["ratio"], strict=True):
        assert ratio == pytest.approx(np.exp(means[tool] - means["none"]))


def test_its_interval_is_welch_s(tmp_path: Path) -> None:
    """Of the time, of which measuring leaves nothing unsure."""
    analysis = analysed(tmp_path / "c", noise=0.05)
    row = found(analysis).loc[("torch 2.13.0", "duration_s")]
    torch = analysis.runs[analysis.runs["treatment"] == "torch 2.13.0"]
    samples = [np.log(torch.loc[torch["purpose"] == one, "duration_s"]) for one in ("profile", "measure")]
    interval = stats.ttest_ind(*samples, equal_var=False).confidence_interval(0.95)
    assert (row["low"], row["high"]) == pytest.approx(np.exp(list(interval)))


def test_what_measuring_leaves_unsure_widens_that_of_the_energy(tmp_path: Path) -> None:
    rows = found(analysed(tmp_path / "c", noise=1e-4, period_s=1.0))
    widths = rows["high"] / rows["low"] - 1
    assert widths[("torch 2.13.0", "energy_j")] > 3 * widths[("torch 2.13.0", "duration_s")]


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"profile_runs": 1}, looking.ONE_PROFILED),
        ({"blocks": 1}, looking.ONE_MEASURED),
        ({"noise": 0.0}, looking.ALL_ALIKE),
    ],
)
def test_too_little_for_an_interval_is_said(tmp_path: Path, other: dict[str, Any], reason: str) -> None:
    row = found(analysed(tmp_path / "c", **other)).loc[("torch 2.13.0", "duration_s")]
    assert row["ratio"] == pytest.approx(SLOWER, rel=0.1)
    assert row["reason"] == reason
    assert row[["low", "high"]].isna().all()


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"blocks": 0}, looking.NOT_MEASURED),
        ({"profiled": {"outcomes": ALL_FAILED}}, looking.NONE_LOOKED_AT),
        ({"profiled": {"meter": "estimate"}}, "estimated and measured energy are never compared"),
    ],
)
def test_what_cannot_be_told_has_its_reason(tmp_path: Path, other: dict[str, Any], reason: str) -> None:
    row = found(analysed(tmp_path / "c", **other)).loc[("torch 2.13.0", "energy_j")]
    assert row["reason"] == reason
    assert row[["ratio", "low", "high"]].isna().all()


def test_of_what_was_not_profiled_and_of_imported_runs_there_is_no_row(tmp_path: Path) -> None:
    assert found(analysed(tmp_path / "c", profile_runs=0)).empty
    imported = analysed(tmp_path / "imported", isolation=IMPORTED)
    table = looking_costs(imported.runs, imported.groups)
    assert table.empty and list(table.columns) == LOOKING_COLUMNS


def test_runs_tell_under_which_profiler_they_ran(tmp_path: Path) -> None:
    runs = analysed(tmp_path / "c").runs
    assert set(runs["profiler"][runs["purpose"] == "profile"]) == {"py-spy"}
    assert runs["profiler"][runs["purpose"] == "measure"].isna().all()
