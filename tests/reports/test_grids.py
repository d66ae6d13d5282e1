"""Small multiples: bars and cells are the study's own numbers, on one scale, and absent where nothing varies."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

from harness.analysis.summary import analyse
from tests.campaigns import Recipe, build
from tests.conftest import SHARED
from tests.reports.parts_of import numbers_in, page_of, panels_of, section_of
from tests.reports.scrape import Page
from tests.reports.studies import Study, study

pytestmark = pytest.mark.unhurried
AUTHORS = SHARED / "published" / "sotillos23"
EXTREME = re.compile("lowest|highest")
DEPTHS = ("50", "101", "152")
TOLERANCES = {"first": 0.05, "later": 0.02}  # theirs weighs each of a few readings alike, ours with its time


@pytest.fixture(scope="module")
def sotillos23(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return study("sotillos23", tmp_path_factory.mktemp("study") / "c")


@pytest.fixture(scope="module")
def page(sotillos23: Study) -> Page:
    section = section_of("grids", *sotillos23)
    assert section is not None
    return page_of(section)


def test_each_quantity_has_a_chart_for_each_depth_with_a_bar_for_each_batch_size(sotillos23: Study) -> None:
    section = section_of("grids", *sotillos23)
    assert section is not None
    panels = panels_of(section)
    quantities = {title.partition(",")[0] for title, _ in panels}
    assert quantities == {
        "Energy of a run", "Time of a run", "Mean power", "Quality", "Energy of the first epoch",
        "Energy of each later epoch", "GPU utilisation",
    }  # fmt: skip
    assert {title for _, title in panels} == {f"depth {depth}" for depth in DEPTHS}
    for (title, depth), panel in panels.items():
        (bars,) = numbers_in(panel)
        assert len(bars) == 8 and set(bars["level"]) == {32, 64, 128, 256}, (title, depth)
        assert panel.badge == ("derived" if "Energy" in title or "power" in title else "")


def test_all_charts_of_a_quantity_share_one_scale(sotillos23: Study) -> None:
    section = section_of("grids", *sotillos23)
    assert section is not None
    tops: dict[str, set[float]] = {}
    for (title, _), panel in panels_of(section).items():
        low, top = panel.drawing.spec["encoding"]["y"]["scale"]["domain"]
        tops.setdefault(title, set()).add(top)
        assert low == 0 and numbers_in(panel)[0]["value"].max() <= top
    assert all(len(found) == 1 for found in tops.values())


def test_first_and_later_epochs_are_the_authors_own(page: Page) -> None:
    """Their files have mean power and duration of each epoch, the two runs averaged, with three decimals."""
    for file, name in (
        ("per_epoch_pytorch.csv", "torch unknown"),
        ("per_epoch_tensorflow.csv", "tensorflow unknown"),
    ):
        for row in authors(AUTHORS / file).itertuples():
            key = f"batch_size {row.batch_size} · depth {row.depth}"
            for part in ("first", "later"):
                shown = page.value(f"grids-{part}_energy_j-1", key, name)
                assert shown == pytest.approx(getattr(row, part), rel=TOLERANCES[part]), (key, name, part)


def test_utilisation_is_that_of_the_authors_epochs(page: Page) -> None:
    for file, name in (
        ("per_epoch_pytorch.csv", "torch unknown"),
        ("per_epoch_tensorflow.csv", "tensorflow unknown"),
    ):
        for row in authors(AUTHORS / file).itertuples():
            shown = page.value(
                "grids-gpu_utilisation-1", f"batch_size {row.batch_size} · depth {row.depth}", name
            )
            assert shown == pytest.approx(row.busy, abs=1.5), (row, name)


def authors(path: Path) -> pd.DataFrame:
    """batch_size, depth; J of the first epoch and of a later one, utilisation in %, weighted with time."""
    rows = pd.read_csv(path).assign(depth=lambda one: one["model"].str.removeprefix("resnet"))
    by = ["batch_size", "depth"]
    first = rows["epoch_number"] == rows["epoch_number"].min()
    busy = (rows["gpu_util"] * rows["total_time"]).groupby([rows[name] for name in by]).sum()
    found = pd.DataFrame(
        {
            "first": rows[first].groupby(by)["energy"].mean(),
            "later": rows[~first].groupby(by)["energy"].mean(),
            "busy": busy / rows.groupby(by)["total_time"].sum(),
        }
    )
    assert len(found) == 4 * 3
    return found.reset_index()


def test_cells_are_the_means_of_the_analysis(page: Page, sotillos23: Study) -> None:
    analysis, compared = sotillos23[0], 0
    for group in analysis.groups:
        key = " · ".join(word for word in group.title.split(" · ") if word.startswith(("batch", "depth")))
        for row in group.select(analysis.costs).itertuples():
            if row.quantity in ("energy_j", "duration_s", "mean_power_w", "quality"):
                assert page.value(f"grids-{row.quantity}-1", key, row.treatment) == row.mean
                compared += 1
    assert compared == 12 * 2 * 4


def test_the_best_of_each_setting_is_marked_but_no_power_is_best(page: Page) -> None:
    best = [
        cell.text
        for row in page.cells["grids-energy_j-1"].values()
        for cell in row.values()
        if EXTREME.search(cell.text)
    ]
    assert len(best) == 12
    assert not any(
        EXTREME.search(cell.text)
        for row in page.cells["grids-mean_power_w-1"].values()
        for cell in row.values()
    )


def test_where_nothing_varies_there_is_no_such_section(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe(stages=("train", "infer")))
    assert section_of("grids", analyse(campaign), campaign) is None
