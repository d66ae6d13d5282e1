"""Violins: every run is a point at its value, medians are the analysis', and nothing is drawn that must not be."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.analysis.density import LEAST
from harness.analysis.summary import Analysis, analyse
from harness.records import Outcome
from harness.store import Campaign
from reports.sections.distributions import SINGLE
from tests.campaigns import Recipe, build
from tests.reports.parts_of import numbers_in, page_of, panels_of, section_of

UNITS = {
    "Energy of each run": "energy_j",
    "Time of each run": "duration_s",
    "Mean power of each run": "mean_power_w",
}
NOTHING = {
    "no run": Recipe(blocks=0),
    "only failed ones": Recipe(blocks=1, outcomes={(n, 1): Outcome.FAILED for n in ("torch", "tensorflow")}),
}
FIVE = Recipe(frameworks={"torch": 1.0, "keras": 1.2}, blocks=LEAST, noise=0.05, stages=("train", "infer"),
              outcomes={("keras", 2): Outcome.FAILED})  # fmt: skip


def made(folder: Path, recipe: Recipe) -> tuple[Analysis, Campaign]:
    campaign = build(folder / "c", recipe)
    return analyse(campaign), campaign


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> tuple[Analysis, Campaign]:
    return made(tmp_path_factory.mktemp("violins"), FIVE)


def test_every_run_that_counts_is_a_point_at_its_value(full: tuple[Analysis, Campaign]) -> None:
    section = section_of("distributions", *full)
    assert section is not None
    panels, counted = panels_of(section), full[0].counted.set_index("run_id")
    assert len(panels) == 2 * len(UNITS)
    for group in full[0].groups:
        for title, column in UNITS.items():
            points = next(one for one in numbers_in(panels[group.title, title]) if "run" in one).set_index(
                "run"
            )
            runs = counted[counted["stage"] == group.stage]
            assert set(points.index) == set(runs.index)
            assert points["value"].to_numpy() == pytest.approx(runs.loc[points.index, column], rel=1e-4)


def test_points_stand_in_the_order_in_which_the_treatments_runs_ran(full: tuple[Analysis, Campaign]) -> None:
    section = section_of("distributions", *full)
    assert section is not None
    points = next(one for one in numbers_in(next(iter(panels_of(section).values()))) if "run" in one)
    for _, mine in points.sort_values("run").groupby("treatment"):
        assert list(mine["order"]) == list(range(1, len(mine) + 1))
        assert mine["place"].is_monotonic_increasing and (mine["place"].iloc[0], mine["place"].iloc[-1]) == (
            -0.6,
            0.6,
        )


def test_only_enough_runs_have_an_outline_and_bars_are_the_medians(full: tuple[Analysis, Campaign]) -> None:
    section = section_of("distributions", *full)
    assert section is not None
    outlines, medians, _ = numbers_in(panels_of(section)[full[0].groups[0].title, "Time of each run"])
    assert set(outlines["treatment"]) == {"torch 2.13.0"}  # one of keras' five failed
    expected = full[0].groups[0].select(full[0].counted).groupby("treatment")["duration_s"].median()
    assert dict(zip(medians["treatment"], medians["value"], strict=True)) == pytest.approx(
        dict(expected), rel=1e-4
    )


def test_tables_behind_the_violins_are_on_the_page(full: tuple[Analysis, Campaign]) -> None:
    section, summary = section_of("distributions", *full), section_of("summary", *full)
    assert section is not None and summary is not None
    links = {str(attrs["href"]) for tag, attrs in page_of(section).tags if tag == "a"}
    assert links - {"#runs-table"} == {f"#{key}" for key in page_of(summary).cells}


def test_joules_of_several_provenances_have_no_common_axis(tmp_path: Path) -> None:
    section = section_of("distributions", *made(tmp_path, Recipe(meters={"tensorflow": "estimate"})))
    assert section is not None
    assert [title for _, title in panels_of(section)] == ["Time of each run"]


@pytest.mark.parametrize("which", NOTHING)
def test_without_a_run_that_counts_there_is_no_such_section(tmp_path: Path, which: str) -> None:
    made_of = made(tmp_path, NOTHING[which])
    assert section_of("distributions", *made_of) is None
    assert section_of("summary", *made_of) is None


def test_a_framework_has_the_same_colour_in_every_group(full: tuple[Analysis, Campaign]) -> None:
    section = section_of("distributions", *full)
    assert section is not None
    domains = [
        layer["encoding"]["color"]["scale"]["domain"]
        for panel in panels_of(section).values()
        for layer in panel.drawing.spec["layer"]
    ]
    assert len(domains) >= 12 and all(domain == ["torch 2.13.0", "keras 3.15.1"] for domain in domains)


def test_where_nothing_ran_twice_one_line_says_why_nothing_is_drawn(tmp_path: Path) -> None:
    section = section_of("distributions", *made(tmp_path, Recipe(blocks=1)))
    assert section is not None
    assert not panels_of(section)
    assert [one.rest for block in section.view["blocks"] for one in block.sentences] == [SINGLE]


def test_two_runs_of_one_treatment_are_a_distribution(tmp_path: Path) -> None:
    once = Recipe(blocks=2, outcomes={("tensorflow", 2): Outcome.FAILED})
    section = section_of("distributions", *made(tmp_path, once))
    assert section is not None
    assert panels_of(section)
