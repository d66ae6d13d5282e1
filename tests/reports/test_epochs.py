"""Epochs: the first apart from the rest, break-even as the analysis has it, and nothing where there is one epoch."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from harness.analysis.courses import break_evens, courses
from harness.analysis.epoch_costs import FIRST, LATER, epoch_costs, first_and_later
from harness.analysis.summary import Analysis, analyse
from tests.campaigns import Recipe, build
from tests.reports.parts_of import numbers_in, page_of, panels_of, section_of
from tests.reports.studies import Study, study

pytestmark = pytest.mark.unhurried


def made(folder: Path, recipe: Recipe) -> Study:
    campaign = build(folder / "c", recipe)
    return analyse(campaign), campaign


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Study:
    frameworks = {"torch": 1.0, "tensorflow": 1.3, "keras": 1.01}
    return made(
        tmp_path_factory.mktemp("epochs"), Recipe(frameworks=frameworks, noise=0.1, stages=("train", "infer"))
    )


def counted(analysis: Analysis) -> pd.DataFrame:
    return analysis.groups[0].select(analysis.counted)


def test_first_and_later_epochs_are_the_analysis(full: Study) -> None:
    section = section_of("epochs", *full)
    assert section is not None
    page, runs = page_of(section), counted(full[0])
    assert "epochs-2" not in page.cells  # inference has no epochs
    rows = first_and_later(runs, full[0].raw.phases)
    assert len(rows) == 3 * 2
    for row in rows.itertuples():
        part = {FIRST: "first", LATER: "later"}[row.part]
        assert page.value("epochs-1", row.treatment, f"energy_j-{part}") == row.energy_j
        assert page.value("epochs-1", row.treatment, f"duration_s-{part}") == row.duration_s
    ratio = page.value("epochs-1", "keras 3.15.1", "duration_s-ratio")
    assert ratio == pytest.approx(2, rel=1e-6)  # as these campaigns are made


def test_energy_adds_up_over_the_epochs(full: Study) -> None:
    section = section_of("epochs", *full)
    assert section is not None
    panels = panels_of(section)
    each, so_far = (
        numbers_in(panels[full[0].groups[0].title, f"Energy of {what}"])[0].set_index(["treatment", "epoch"])
        for what in ("each epoch", "all epochs so far")
    )
    assert len(so_far) == 3 * 3
    for (name, epoch), row in so_far.iterrows():
        expected = sum(each.loc[(name, number), "mean"] for number in range(1, int(epoch) + 1))
        assert row["mean"] == pytest.approx(expected, rel=1e-9)


def test_every_epoch_is_drawn(full: Study) -> None:
    section = section_of("epochs", *full)
    assert section is not None
    drawn = numbers_in(panels_of(section)[full[0].groups[0].title, "Time of each epoch"])[0]
    expected = epoch_costs(counted(full[0]), full[0].raw.phases).set_index(["treatment", "epoch"])[
        "duration_s"
    ]
    assert len(drawn) == 3 * 3
    for row in drawn.itertuples():
        assert row.mean == pytest.approx(expected[row.treatment, row.epoch], rel=1e-4)


@pytest.mark.parametrize("cost", ["energy_j", "duration_s"])
def test_break_even_is_the_analysis_and_never_has_its_reason(
    full: Study, sotillos23: Study, cost: str
) -> None:
    for analysis, campaign in (full, sotillos23):
        section = section_of("epochs", analysis, campaign)
        assert section is not None
        page = page_of(section)
        for row in break_evens(courses(counted(analysis), analysis.raw.phases), cost).itertuples():
            cell = page.cells[f"epochs-{cost}-1"][row.treatment][row.reference]
            assert cell.value == (None if pd.isna(row.epochs) else str(row.epochs))
            assert ("never" in cell.text) is pd.isna(row.epochs) and row.reason in page.text


def test_joules_of_several_provenances_are_told_apart_and_not_weighed(tmp_path: Path) -> None:
    section = section_of("epochs", *made(tmp_path, Recipe(meters={"tensorflow": "estimate"})))
    assert section is not None
    page = page_of(section)
    assert [title for _, title in panels_of(section)] == ["Time of each epoch"]
    assert "epochs-energy_j-1" not in page.cells and "epochs-duration_s-1" in page.cells
    cells = page.cells["epochs-1"]
    assert "estimated" in cells["tensorflow 2.21.0"]["energy_j-first"].text
    assert "measured" in cells["torch 2.13.0"]["energy_j-first"].text


@pytest.mark.parametrize("recipe", [Recipe(epochs=1), Recipe(stages=("infer",)), Recipe(blocks=0)])
def test_without_two_epochs_there_is_no_such_section(tmp_path: Path, recipe: Recipe) -> None:
    assert section_of("epochs", *made(tmp_path, recipe)) is None


@pytest.fixture(scope="module")
def sotillos23(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return study("sotillos23", tmp_path_factory.mktemp("study") / "c")
