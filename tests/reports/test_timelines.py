"""Runs over time: the typical run, its power as it was, its epochs where they end, no watts of two kinds together."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from harness.analysis.summary import analyse
from harness.analysis.timeline import _updated, curves, epoch_ends_s, typical
from harness.records import Outcome
from tests.campaigns import NS, Recipe, build
from tests.reports.parts_of import numbers_in, page_of, panels_of, section_of
from tests.reports.studies import Study, study

pytestmark = pytest.mark.unhurried


def made(folder: Path, recipe: Recipe) -> Study:
    campaign = build(folder / "c", recipe)
    return analyse(campaign), campaign


@pytest.mark.parametrize(
    ("energies", "expected"), [([5.0, 1.0, 3.0], "c"), ([4.0, 1.0, 2.0, 3.0], "c"), ([None, 1.0, 9.0], "b")]
)
def test_the_typical_run_has_the_median_energy_or_time(energies: list[float | None], expected: str) -> None:
    runs = pd.DataFrame(
        {
            "run_id": list("abcd")[: len(energies)],
            "energy_j": energies,
            "duration_s": [3.0, 2.0, 1.0, 4.0][: len(energies)],
        }
    )
    assert typical(runs.astype({"energy_j": "float64"})) == expected


def test_power_adds_up_to_the_runs_energy_across_a_counters_wrap(tmp_path: Path) -> None:
    analysis, campaign = made(tmp_path, Recipe(frameworks={"torch": 1.0}, blocks=1, seconds=20.0, noise=0.0))
    found = {one.title: one for one in curves(campaign.runs[0])}
    package_w = found["Power, cpu_package"].values
    assert len(package_w) >= 199 and package_w == pytest.approx(np.full(len(package_w), 40.0), rel=1e-6)
    watts = found["Power, cpu_package"].mean + found["Power, dram"].mean
    assert watts == pytest.approx(analysis.runs["mean_power_w"].iloc[0], rel=1e-6)
    assert found["Busy CPUs"].mean == pytest.approx(0.9)


def test_readings_between_two_updates_of_a_counter_are_no_rest_and_no_peak() -> None:
    """As an H100 told: a reading in 0.1 s, a counter that moves in 0.1 s, and readings more where phases end."""
    t_s = np.sort(np.concatenate([np.arange(0.0, 20.0, 0.1), [3.003, 7.07, 7.075, 12.088]]))
    values = 50.0 * np.floor(t_s / 0.1 + 1e-9)  # 500 W
    times_s, found = _updated(t_s, values, update_s=0.1)
    watts = np.diff(found) / np.diff(times_s)
    assert len(times_s) >= 198 and np.diff(times_s).min() >= 0.09
    assert watts.min() > 250 and watts.max() < 1000
    assert (found[-1] - found[0]) / (times_s[-1] - times_s[0]) == pytest.approx(500, rel=0.01)
    assert np.allclose(np.diff(values)[np.diff(t_s) < 0.09].min(), 0.0)  # which was 0 W


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 1.0, 1.0]])
def test_a_counter_that_never_moves_has_no_course(values: list[float]) -> None:
    times_s, found = _updated(np.arange(len(values), dtype=float), np.array(values), update_s=0.1)
    assert len(times_s) == len(found) == min(1, len(values))


def test_marks_stand_where_the_worker_ended_its_epochs(tmp_path: Path) -> None:
    analysis, campaign = made(tmp_path, Recipe(frameworks={"torch": 1.0}, blocks=1))
    run = campaign.runs[0]
    events = [json.loads(line) for line in (run.folder / "events.jsonl").read_text().splitlines()]
    ends = [e["t_ns"] for e in events if e.get("name") == "train" and e["edge"] == "end"]
    found = epoch_ends_s(run, analysis.raw.phases)
    assert list(found.index) == [1, 2, 3]
    assert found.to_numpy() == pytest.approx((np.array(ends) - run.record.go_ns) / NS)
    section = section_of("timelines", analysis, campaign)
    assert section is not None
    for panel in panels_of(section).values():
        marks = next(one for one in numbers_in(panel) if "epoch" in one)
        assert marks["t_s"].to_numpy() == pytest.approx(found, rel=1e-4)


def test_phases_are_marked_and_told_where_they_first_begin(tmp_path: Path) -> None:
    analysis, campaign = made(tmp_path, Recipe(blocks=1))
    section = section_of("timelines", analysis, campaign)
    assert section is not None
    page = page_of(section)
    for run in campaign.runs:
        name = str(analysis.runs.set_index("run_id")["treatment"][run.record.planned.run_id])
        events = [json.loads(line) for line in (run.folder / "events.jsonl").read_text().splitlines()]
        begins = {e["name"]: e["t_ns"] for e in reversed(events) if e.get("edge") == "begin"}
        assert len(begins) >= 3
        expected = {phase: (t_ns - run.record.go_ns) / NS for phase, t_ns in begins.items()}
        told = {phase: page.value("timelines-phases-1", name, phase) for phase in begins}
        assert told == pytest.approx(expected)
        for panel in panels_of(section).values():
            marks = next(one for one in numbers_in(panel) if "phase" in one)
            mine = marks[marks["number"] == analysis.groups[0].treatments.index(name)]
            assert dict(zip(mine["phase"], mine["t_s"], strict=True)) == pytest.approx(expected, rel=1e-4)


def test_the_table_has_what_the_curves_have(tmp_path: Path) -> None:
    analysis, campaign = made(tmp_path, Recipe(blocks=3, noise=0.2))
    section = section_of("timelines", analysis, campaign)
    assert section is not None
    page, by_id = page_of(section), {run.record.planned.run_id: run for run in campaign.runs}
    compared = 0
    for name, runs in analysis.counted.groupby("treatment"):
        for curve in curves(by_id[typical(runs)]):
            key = f"{curve.title} {name}"
            shown = [page.value("timelines-1", key, column) for column in ("mean", "min", "max", "readings")]
            assert shown == [curve.mean, curve.values.min(), curve.values.max(), len(curve.values)]
            compared += 1
    assert compared == 2 * 4


def test_a_long_run_is_drawn_with_few_points_and_keeps_its_peak(sotillos23: Study) -> None:
    section = section_of("timelines", *sotillos23)
    assert section is not None
    panels = panels_of(section)
    longest = next(
        panel for (group, title), panel in panels.items() if "32 · depth 152" in group and "Power" in title
    )
    band = next(one for one in numbers_in(longest) if "high" in one)
    table = next(
        rows
        for rows in page_of(section).cells.values()
        if "size32-depth152" in getattr(rows.get("Power, gpu torch unknown", {}).get("run"), "text", "")
    )
    greatest = [
        float(str(table[f"Power, gpu {name}"]["max"].value))
        for name in ("tensorflow unknown", "torch unknown")
    ]
    assert len(band) <= 2 * 60
    assert sorted(band.groupby("number")["high"].max()) == pytest.approx(sorted(greatest), rel=1e-4)
    assert (band["low"] <= band["mean"]).all() and (band["mean"] <= band["high"]).all()
    assert {title for _, title in panels} == {"Power, gpu", "Temperature", "GPU memory", "GPU utilisation"}


def test_totals_without_a_course_are_not_drawn(icse22: Study) -> None:
    """perf stat told one sum a run; only the GPU was read every second."""
    section = section_of("timelines", *icse22)
    assert section is not None
    panels = panels_of(section)
    assert {title for _, title in panels} == {"Power, gpu"} and len(panels) == 6
    assert {panel.badge for panel in panels.values()} == {"derived"}


def test_watts_of_two_kinds_share_no_axis(tmp_path: Path) -> None:
    section = section_of("timelines", *made(tmp_path, Recipe(meters={"tensorflow": "simulated"})))
    assert section is not None
    assert not any("Power" in title for _, title in panels_of(section))
    cells = page_of(section).cells["timelines-1"]
    assert "simulated" in cells["Power, dram tensorflow 2.21.0"]["what"].text
    assert "measured" in cells["Power, dram torch 2.13.0"]["what"].text


def test_without_a_run_that_counts_there_is_no_such_section(tmp_path: Path) -> None:
    failed = {(name, 1): Outcome.FAILED for name in ("torch", "tensorflow")}
    assert section_of("timelines", *made(tmp_path, Recipe(blocks=1, outcomes=failed))) is None


@pytest.fixture(scope="module")
def sotillos23(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return study("sotillos23", tmp_path_factory.mktemp("study") / "c")


@pytest.fixture(scope="module")
def icse22(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return study("icse22", tmp_path_factory.mktemp("study") / "c")
