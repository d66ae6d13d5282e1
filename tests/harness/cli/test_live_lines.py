"""Two lines that fit the terminal: what matters less goes first, and no number stands without its word."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from harness.cli import live_lines
from harness.cli.live_lines import View
from harness.planning.forecast import Eta
from harness.records import PlannedRun, Provenance, Treatment
from suite.protocol import Event

TREATMENT = Treatment(
    workload="mnist_cnn", framework="tensorflow", version="2.20.0", stage="train", dataset="mnist"
)
PLANNED = PlannedRun(run_id="0003", block=2, position=3, repetition=2, treatment=TREATMENT)
VIEW = View(
    run=1234,
    total=2500,
    planned=PLANNED,
    phase="evaluate epoch 12",
    power="141.3 W estimated",
    elapsed_s=7300.0,
    eta=Eta(36_000.0, 35_000.0, 37_000.0),
    findings=12,
)


def shown(view: View, width: int) -> list[str]:
    """The lines as a terminal of that width prints them."""
    console = Console(force_terminal=True, record=True, width=width, file=io.StringIO())
    console.print(live_lines.lines(view, width))
    return [line.rstrip() for line in console.export_text().splitlines()]


def test_what_sets_the_work_apart_stands_beside_its_name() -> None:
    first, _ = shown(replace(VIEW, own="depth 50, batch_size 32"), 120)
    assert "mnist_cnn tensorflow 2.20.0 train  depth 50, batch_size 32  findings 12" in first


def test_everything_is_there_where_there_is_room() -> None:
    assert shown(VIEW, 120) == [
        "run 1234/2500  block 2  mnist_cnn tensorflow 2.20.0 train  findings 12",
        "evaluate epoch 12  141.3 W estimated  ETA 10:00:00  (9:43:20 to 10:16:40)  elapsed 2:01:40",
    ]


def test_eighty_columns_lose_the_elapsed_time_alone() -> None:
    assert shown(VIEW, 80) == [
        "run 1234/2500  block 2  mnist_cnn tensorflow 2.20.0 train  findings 12",
        "evaluate epoch 12  141.3 W estimated  ETA 10:00:00  (9:43:20 to 10:16:40)",
    ]


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (72, "evaluate epoch 12  141.3 W estimated  ETA 10:00:00"),
        (49, "evaluate epoch 12  141.3 W estimated"),
        (35, "evaluate epoch 12"),
        (10, "evaluate …"),
    ],
)
def test_a_narrower_one_drops_interval_eta_and_watts_in_this_order(width: int, line: str) -> None:
    assert shown(VIEW, width)[1] == line


@given(st.integers(1, 200), st.integers(0, 10**6), st.sampled_from(["", "power unknown", "41.3 W measured"]))
def test_no_line_is_wider_than_the_terminal_and_there_are_two(width: int, seconds: int, power: str) -> None:
    eta = Eta(float(seconds), 0.0, 2.0 * seconds)
    found = live_lines.lines(replace(VIEW, eta=eta, power=power), width).plain.split("\n")
    assert len(found) == 2
    assert max(map(len, found)) <= width


def test_between_two_runs_it_says_what_is_waited_for() -> None:
    waiting = replace(VIEW, planned=None, phase="cooling down", power="", eta=Eta(60.0), findings=0)
    assert shown(waiting, 80) == ["run 1234/2500", "cooling down  ETA 1:00  elapsed 2:01:40"]


@pytest.mark.parametrize(("purpose", "word"), [("prepare", "preparation"), ("warm-up", "warm-up")])
def test_a_run_outside_the_blocks_says_what_it_is_for(purpose: str, word: str) -> None:
    planned = PLANNED.model_copy(update={"block": 0, "purpose": purpose})
    assert f"  {word}  " in live_lines.plain(replace(VIEW, planned=planned))


def test_a_run_under_the_profiler_says_so_in_place_of_its_block() -> None:
    planned = PLANNED.model_copy(update={"purpose": "profile"})
    assert "  under the profiler  " in live_lines.plain(replace(VIEW, planned=planned))


@pytest.mark.parametrize("provenance", list(Provenance))
def test_watts_never_stand_without_their_provenance(provenance: Provenance) -> None:
    assert live_lines.watts(41.26, provenance) == f"41.3 W {provenance}"


def test_unknown_power_is_said_and_never_zero() -> None:
    assert live_lines.watts(None, Provenance.MEASURED) == "power unknown"


def test_a_phase_is_what_began_last() -> None:
    begin = {"name": "train", "edge": "begin", "epoch": 3}
    assert live_lines.phase(Event(0, "phase", begin)) == "train epoch 3"
    assert live_lines.phase(Event(0, "phase", {**begin, "edge": "end"})) is None
    assert live_lines.phase(Event(0, "phase", {"name": "import", "edge": "begin", "epoch": None})) == "import"
    assert live_lines.phase(Event(0, "metrics", {})) is None
