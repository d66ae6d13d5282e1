"""Trade-offs: points are the analysis' means, the front is what nothing beats, joules that differ never meet."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from harness.analysis.summary import analyse
from tests.campaigns import Recipe, build
from tests.reports.parts_of import numbers_in, page_of, panels_of, section_of
from tests.reports.studies import Study, study

pytestmark = pytest.mark.unhurried
TABLE = "tradeoffs-table-1"


@pytest.fixture(scope="module")
def sotillos23(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return study("sotillos23", tmp_path_factory.mktemp("study") / "c")


def made(folder: Path, recipe: Recipe) -> Study:
    campaign = build(folder / "c", recipe)
    return analyse(campaign), campaign


def test_a_study_over_batch_sizes_and_depths_has_one_mark_for_each_setting(sotillos23: Study) -> None:
    section = section_of("tradeoffs", *sotillos23)
    assert section is not None
    (panel,) = panels_of(section).values()
    _, marks = numbers_in(panel)
    assert len(marks) == 2 * 4 * 3 and panel.badge == "derived"
    expected = sotillos23[0].costs.pivot(index=["settings", "treatment"], columns="quantity", values="mean")
    assert sorted(marks["cost"]) == pytest.approx(sorted(expected["energy_j"] / 1000), rel=1e-4)
    assert sorted(marks["gain"]) == pytest.approx(sorted(expected["quality"]), rel=1e-4)


def test_every_cell_is_the_analysis_and_the_front_is_what_no_other_beats(sotillos23: Study) -> None:
    section = section_of("tradeoffs", *sotillos23)
    assert section is not None
    page, seen = page_of(section), dict[str, tuple[float, float]]()
    for row in sotillos23[0].costs.itertuples():
        settings = json.loads(row.settings)
        key = f"{row.treatment} batch_size {settings['batch_size']} · depth {settings['depth']}"
        if row.quantity in ("energy_j", "duration_s", "quality"):
            assert page.value(TABLE, key, row.quantity) == row.mean, key
        energy_j, quality = (page.value(TABLE, key, name) for name in ("energy_j", "quality"))
        assert energy_j is not None and quality is not None
        seen[key] = energy_j, quality
    for key, (energy_j, quality) in seen.items():
        beaten = any(
            e <= energy_j and q >= quality and (e, q) != (energy_j, quality) for e, q in seen.values()
        )
        assert ("on it" in page.cells[TABLE][key]["front"].text) is not beaten, key
        least = min(e for e, _ in seen.values())
        assert page.value(TABLE, key, "energy_j-ratio") == pytest.approx(energy_j / least)


def test_the_energy_to_a_quality_that_every_run_reached(sotillos23: Study) -> None:
    """By hand: the epochs' joules up to the first one at the target, geometric mean of the two runs."""
    analysis, _ = sotillos23
    epochs = analysis.raw.epochs
    target = epochs.groupby("run_id")["accuracy"].max().min()
    runs = analysis.counted[(analysis.counted["treatment"] == "torch unknown")]
    runs = runs[runs["settings"].str.contains('"batch_size": 64, "depth": 101')]
    joules = []
    for _, run in epochs[epochs["run_id"].isin(runs["run_id"])].groupby("run_id"):
        first = run.loc[run["accuracy"] >= target, "epoch"].min()
        joules.append(run.loc[run["epoch"] <= first, "energy_j"].sum())
    section = section_of("tradeoffs", *sotillos23)
    assert section is not None and len(joules) == 2
    shown = page_of(section).value(TABLE, "torch unknown batch_size 64 · depth 101", "energy_j-aim")
    assert shown == pytest.approx(np.exp(np.mean(np.log(joules))))


@pytest.mark.parametrize(
    "recipe",
    [Recipe(with_quality=False), Recipe(meter=None), Recipe(frameworks={"torch": 1.0}), Recipe(blocks=0)],
)
def test_without_two_points_to_choose_between_there_is_no_such_section(
    tmp_path: Path, recipe: Recipe
) -> None:
    assert section_of("tradeoffs", *made(tmp_path, recipe)) is None


def test_estimated_and_measured_joules_make_no_trade_off(tmp_path: Path) -> None:
    section = section_of("tradeoffs", *made(tmp_path, Recipe(meters={"tensorflow": "estimate"})))
    assert section is not None and not panels_of(section)
    assert "No trade-off: estimated and measured energy are never compared." in page_of(section).text


def test_one_setting_alone_is_not_named(tmp_path: Path) -> None:
    analysis, campaign = made(tmp_path, Recipe(frameworks={"torch": 1.0, "keras": 1.5}))
    section = section_of("tradeoffs", analysis, campaign)
    assert section is not None
    page = page_of(section)
    assert set(page.cells[TABLE]) == {"torch 2.13.0", "keras 3.15.1"}
    on_it = {key for key, row in page.cells[TABLE].items() if "on it" in row["front"].text}
    assert on_it == {"torch 2.13.0"}  # the same quality for less


def test_the_table_says_that_it_is_of_means_and_not_against_the_reference(tmp_path: Path) -> None:
    analysis, campaign = made(tmp_path, Recipe(blocks=2, qualities={"accuracy": 0.9}))
    section = section_of("tradeoffs", analysis, campaign)
    assert section is not None
    page = page_of(section)
    heads = [one.strip() for one in page.headers[TABLE]]
    assert (
        heads.count("Times the least") == 2 and "Ratio" not in heads and "Pareto frontby means alone" in heads
    )
    assert "not of the reference" in page.text
