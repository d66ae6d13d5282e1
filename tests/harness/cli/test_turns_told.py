"""What a budget is enough for is said before, what stays open and how to go on with it afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import store
from harness.campaign.planned import PlannedCampaign
from harness.cli import turns_told, verdict_line
from harness.records import DecidedRatio, Provenance
from tests.campaigns import Recipe, build
from tests.simulated_turns import planned

MADE = planned(["a", "b", "c"], ["x", "y"], 5, ("train", "infer"))  # of 7 s a run


def told(budget_s: float, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> str:
    campaign = PlannedCampaign(tmp_path / "new", MADE, {}, None)  # type: ignore[arg-type] - of which nothing is asked
    turns_told.tell_what_fits(campaign, [], budget_s, budget_s)
    return " ".join(capsys.readouterr().out.split())


def test_what_it_will_and_will_not_answer_is_said_before(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    short = told(9 * 7.0, capsys, tmp_path)
    assert "enough for about 9 of" in short
    assert "will be seen: 2 of 3 workloads: a and b; will not be: c" in short.replace(
        " will not", "; will not"
    )
    assert "in 1 of 6 comparisons: a train; the others stay open" in short
    assert "answers are looked for in all 6 comparisons" in told(1e6, capsys, tmp_path)
    assert "will be seen: all 3 workloads" in told(20 * 7.0, capsys, tmp_path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three blocks of at most ten, of a difference that no noise hides."""
    from harness.analysis import adaptive

    built = build(tmp_path / "c", Recipe(frameworks={"torch": 1.0, "tensorflow": 2.0}, blocks=3, noise=0.001))
    plan = built.record.plan
    rule = adaptive.declare(plan.treatments, 0.02, 10)
    names = tuple(dict.fromkeys(one.workload for one in plan.treatments))
    update = {"until": rule, "turns": names, "repetitions": 10}
    record = built.record.model_copy(update={"plan": plan.model_copy(update=update)})
    store.write_record(built.folder / store.CAMPAIGN_FILE, record)
    return built.folder


def test_what_is_known_is_said_afterwards(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    turns_told.tell_what_is_open(folder)
    said = capsys.readouterr().out
    assert "known to the end: all 1 comparison" in said
    assert "--resume" not in said


def test_what_is_open_is_said_and_how_to_go_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for run in sorted((folder / store.RUNS).iterdir())[2:]:
        run.rename(folder / run.name)
    turns_told.tell_what_is_open(folder)
    said = " ".join(capsys.readouterr().out.split())
    assert "known to the end: 0 of 1 comparison" in said
    assert "open: " in said and f"go on: suite run --resume {folder} --budget +1h" in said


def test_a_campaign_by_turns_has_to_be_made_what_was_begun(folder: Path) -> None:
    assert len(store.load_campaign(folder).order) == 6
    for run in sorted((folder / store.RUNS).iterdir())[3:]:
        run.rename(folder / run.name)
    read = store.load_campaign(folder)
    assert [one.block for one in read.order] == [1, 1, 2, 2]
    assert len(store.missing(folder, read.order)) == 1


def test_a_verdict_under_way_names_who_and_says_what_kind_of_joules_they_are() -> None:
    ratio = DecidedRatio(
        workload="w", dataset="d", stage="train", device="cpu", settings="{}", treatment="jax 1", reference="torch 1",
        quantity="energy_j", decision="verdict reached", verdict="better", blocks=3, ratio=0.5, low=0.4, high=0.6,
    )  # fmt: skip
    words = "w train: jax 1 is better than torch 1 in energy (ESTIMATED), 0.5 (0.4 to 0.6)"
    assert verdict_line.words(ratio, Provenance.ESTIMATED) == words
    assert "in energy (of unknown provenance)," in verdict_line.words(ratio, None)
    assert "in energy, 0.5" in verdict_line.words(ratio, Provenance.MEASURED)
    time = ratio.model_copy(update={"quantity": "duration_s", "verdict": "equivalent"})
    assert verdict_line.words(time, Provenance.ESTIMATED).startswith(
        "w train: jax 1 is equivalent to torch 1 in time,"
    )
