"""People see what runs and what it draws; what is found is told once, as soon as its run has ended."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from harness.analysis.groups import own_words
from harness.campaign import carrying_out, remaining
from harness.campaign.planned import PlannedCampaign
from harness.cli import progress
from harness.cli.progress import Progress
from harness.records import Finding, Outcome, Provenance, RunRecord
from suite.protocol import Event
from tests.campaigns import Recipe, build
from tests.harness.campaign.test_carrying_out import WATTS, campaign, emulated  # noqa: F401 - the fixture of an emulated machine

WARM = Finding(severity="warning", code="warm", message="it was warm", advice="open a window")
FOUND = (
    WARM,
    Finding(severity="invalid", code="slow", message="it was slow", advice="wait [a while]"),
    Finding(severity="info", code="dull", message="it was dull", advice="none"),
)


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that stands still until the test moves it."""
    clock = [1000.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    return clock


@pytest.fixture
def records(tmp_path: Path) -> list[RunRecord]:
    """Six runs of two treatments, in three blocks."""
    runs = [run.record for run in build(tmp_path / "built", Recipe(noise=0.0)).runs]
    return [record.model_copy(update={"findings": FOUND}) for record in runs]


def observed(records: list[RunRecord], console: Console) -> Progress:
    order = [record.planned for record in records]
    return Progress(console, remaining.Remaining(order, 10.0, 0.0))


def log(records: list[RunRecord], now: list[float]) -> str:
    """What a file gets while these runs take ten seconds each, two of them waiting."""
    file = io.StringIO()
    with observed(records, Console(file=file, width=80)) as one:
        for record in records:
            one.waiting("cooling down")
            now[0] += 2
            one.run_started(record.planned)
            one.run_event(Event(0, "phase", {"name": "train", "edge": "begin", "epoch": None}))
            one.power(41.26, Provenance.ESTIMATED)
            now[0] += 8
            one.run_finished(record)
    return file.getvalue()


def test_a_log_has_a_plain_line_for_each_start_and_each_end(
    records: list[RunRecord], now: list[float]
) -> None:
    lines = [
        line for line in log(records, now).splitlines() if "warning" not in line and "invalid" not in line
    ]
    first, third = records[0].planned, records[2].planned
    assert lines[0] == f"run 1/6  block 1  {first.treatment.label}  startup  ETA 0:58  elapsed 0:02"
    assert lines[1] == f"  1/6 {first.run_id}  8.0 s"
    assert lines[4].startswith(f"run 3/6  block 2  {third.treatment.label}  findings 4  startup  ETA 0:38")
    assert "ETA 0:18  (0:18 to 0:18)" in lines[8]
    assert "\x1b" not in "".join(lines)


def test_a_finding_is_told_the_first_time_for_a_treatment_and_then_counted(
    records: list[RunRecord], now: list[float]
) -> None:
    text = log(records, now)
    assert text.count("    warning: warm: it was warm; open a window\n") == 2  # treatments
    assert text.count("    invalid: slow: it was slow; wait [a while]\n") == 2
    assert "dull" not in text
    assert text.endswith("findings in all: slow 6 times, warm 6 times\n")


def test_a_run_that_does_not_count_says_why(records: list[RunRecord], now: list[float]) -> None:
    failed = records[0].model_copy(
        update={"outcome": Outcome.FAILED, "reason": "exit code 3", "findings": ()}
    )
    assert f"{failed.planned.run_id}  8.0 s  FAILED: exit code 3\n" in log([failed], now)


def test_a_warm_up_run_is_shown_and_not_counted(records: list[RunRecord], now: list[float]) -> None:
    outside = {"run_id": "warm-up-001", "block": 0, "purpose": "warm-up"}
    warm_up = records[0].model_copy(update={"planned": records[0].planned.model_copy(update=outside)})
    file = io.StringIO()
    with observed(records, Console(file=file)) as one:
        one.run_started(warm_up.planned)
        one.run_finished(warm_up)
        one.run_started(records[0].planned)
    assert "run 1/6  warm-up" in file.getvalue()
    assert "\n  warm-up-001  0.0 s\n" in file.getvalue()
    assert "run 1/6  block 1" in file.getvalue()


@pytest.fixture
def long_run(tmp_path: Path, emulated: object) -> Iterator[PlannedCampaign]:  # noqa: F811
    """One run of five seconds on a machine that draws WATTS."""
    one = campaign(tmp_path, behaviour="works-long")
    yield replace(one, plan=one.plan.model_copy(update={"repetitions": 1}))


@pytest.mark.unhurried
def test_a_terminal_sees_baseline_phase_and_the_watts_that_the_machine_draws(
    long_run: PlannedCampaign,
) -> None:
    file = io.StringIO()
    left = remaining.of_campaign(long_run.plan, long_run.order, [], 0.0)
    with Progress(Console(force_terminal=True, file=file, width=80), left) as one:
        carrying_out.carry_out(long_run, one)
    shown = re.sub(r"(\r|\x1b\[[0-9;?]*[A-Za-z])+", "\n", file.getvalue())
    assert "baseline  ETA" in shown
    assert "run 1/1  block 1  svm sklearn 1.0 train" in shown
    watts = [float(found) for found in re.findall(r"train epoch 1  (\S+) W simulated  ETA", shown)]
    assert watts, shown
    assert watts == pytest.approx([WATTS] * len(watts), rel=0.02)
    assert max(map(len, shown.splitlines())) <= 80


def test_runs_in_several_modes_are_told_apart(tmp_path: Path, now: list[float]) -> None:
    recipe = Recipe(frameworks={"torch": 1.0}, blocks=1, settings=({"mode": "eager"}, {"mode": "compile"}))
    built, file = build(tmp_path / "built", recipe), io.StringIO()
    left = remaining.Remaining(built.order, 10.0, 0.0)
    with Progress(Console(file=file, width=80), left, own_words(built.record.plan.treatments)) as one:
        for run in built.runs:
            one.run_started(run.record.planned)
            one.run_finished(run.record)
    begun = [line for line in file.getvalue().splitlines() if line.startswith("run ")]
    modes = [str(run.record.planned.treatment.settings["mode"]) for run in built.runs]
    assert [f"train  mode {mode}  startup" in line for line, mode in zip(begun, modes, strict=True)] == [
        True,
        True,
    ]
