"""Each bar of a phase has the interval of its mean, of the runs that count."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from statistics import fmean

import pytest
from scipy import stats

from harness.analysis.parts import STARTUP, part_sums
from harness.analysis.summary import Analysis, analyse
from harness.store import Campaign
from reports.parts import Panel
from reports.sections import phases
from tests.campaigns import Recipe, build


@pytest.fixture(scope="module")
def analysis(campaign: Campaign) -> Analysis:
    return analyse(campaign)


def rows_of(panel: Panel) -> dict[tuple[str, str], dict[str, float]]:
    (rows,) = panel.drawing.spec["datasets"].values()
    return {(row["treatment"], row["part"]): row for row in rows}


def by_hand(analysis: Analysis, index: int) -> dict[tuple[str, str], list[float]]:
    """Joules of each bar, one value for each run."""
    runs = analysis.groups[index].select(analysis.counted)
    treatment = dict(zip(runs["run_id"], runs["treatment"], strict=True))
    found: dict[tuple[str, str], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for row in part_sums(runs, analysis.raw.phases).itertuples():
        if row.part != STARTUP and row.run_id in treatment:
            found[treatment[row.run_id], phases.SHARED.get(row.part, row.part)][row.run_id] += row.energy_j
    return {bar: list(values.values()) for bar, values in found.items()}


@pytest.mark.parametrize("index", [0, 1])
def test_each_bar_is_the_mean_of_its_runs_with_its_own_interval(
    analysis: Analysis, campaign: Campaign, index: int
) -> None:
    (energy, _) = phases.view(analysis, campaign)["blocks"][index].figure.panels
    drawn, expected = rows_of(energy), by_hand(analysis, index)
    assert drawn.keys() == expected.keys() and len(drawn) >= 9
    for bar, values in expected.items():
        low, high = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
        row = drawn[bar]
        unit = fmean(values) / row["value"]  # of the axis
        assert unit in (pytest.approx(1.0), pytest.approx(1000.0))
        assert (row["low"], row["high"]) == pytest.approx((max(low, 0.0) / unit, high / unit)), bar


def test_a_single_block_is_drawn_without_intervals(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe(blocks=1))
    (energy, _) = phases.view(analyse(campaign), campaign)["blocks"][0].figure.panels
    drawn = rows_of(energy).values()
    assert drawn and {(row["low"], row["to"]) for row in drawn} == {(None, None)}
    assert energy.drawing.svg.count("<path") > len(drawn)  # the bars are there
