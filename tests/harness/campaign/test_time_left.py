"""A budget of time is kept, spent, and cuts no block in two but the first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import store
from harness.campaign import carrying_out, schedule
from harness.campaign.remaining import Remaining
from harness.campaign.time_left import TimeLeft
from harness.planning import plan
from harness.planning.plan_files import Protocol
from harness.records import Outcome, PlannedRun, PowerModel, Treatment
from tests.emulators.powercap import EmulatedZone, PowercapTree, constant
from tests.harness.campaign.test_carrying_out import campaign
from tests.observers import Silent

NAMES = ("jax", "keras", "torch")
BLOCKS = 6
PLAN = plan.make(
    "quick",
    Protocol(repetitions=BLOCKS, sample_period_s=0.1, baseline_s=3, run_timeout_s=60, expected_run_s=9,
             power_model=PowerModel(idle_w=10, busy_cpu_w=8)),
    [Treatment(workload="svm", framework=name, version="1", stage="train", dataset="digits") for name in NAMES],
    (), seed=1,
)  # fmt: skip
ORDER = plan.order(PLAN)
SECONDS = st.fixed_dictionaries({name: st.floats(0.5, 60.0) for name in NAMES})


def carried_out(budget_s: float, takes_s: dict[str, float]) -> tuple[list[PlannedRun], float]:
    """Runs that take exactly so long; those that were made, and when the last one ended."""
    left = TimeLeft(budget_s, Remaining(ORDER, PLAN.expected_run_s, began_s=0.0))
    made: list[PlannedRun] = []
    done: dict[str, Outcome] = {}
    now_s = 0.0
    while planned := schedule.next_run(ORDER, done, 0):
        if not left.allows(planned, ORDER, done, now_s):
            break
        now_s += takes_s[planned.treatment.framework]
        left.finished(planned, now_s)
        done[planned.run_id] = Outcome.OK
        made.append(planned)
    return made, now_s


@given(st.floats(1.0, 1000.0), SECONDS)
def test_it_is_kept_but_for_what_nobody_knew_and_spent_to_a_block(
    budget_s: float, takes_s: dict[str, float]
) -> None:
    made, end_s = carried_out(budget_s, takes_s)
    unknown_s = sum(takes_s[planned.treatment.framework] for planned in made[: len(NAMES)])
    assert end_s <= max(budget_s, unknown_s)
    if len(made) >= len(NAMES):  # of the first block all is known
        assert len(made) == len(ORDER) or end_s + sum(takes_s.values()) > budget_s - 1e-6
        assert set(Counter(planned.block for planned in made).values()) == {len(NAMES)}


@given(st.floats(1.0, 1000.0), st.floats(0.5, 60.0))
def test_where_all_take_as_long_it_is_kept_from_the_second_run_on(budget_s: float, one_s: float) -> None:
    made, end_s = carried_out(budget_s, dict.fromkeys(NAMES, one_s))
    assert made
    assert end_s <= max(budget_s, one_s)


def test_no_time_is_no_run() -> None:
    assert carried_out(0.0, dict.fromkeys(NAMES, 1.0)) == ([], 0.0)


@pytest.fixture
def emulated(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("JOULEMARK_POWERCAP_ROOT", str(tmp_path / "powercap"))
    with PowercapTree(tmp_path / "powercap", [EmulatedZone("intel-rapl:0", "package-0", constant(50.0))]):
        yield


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock on which 100 s pass whenever it is read: before the first run, after it, before the second one."""
    seconds = count(0.0, 100.0)
    monkeypatch.setattr(carrying_out, "time", SimpleNamespace(monotonic=lambda: next(seconds)))


@pytest.mark.unhurried
@pytest.mark.parametrize(("behaviour", "counts"), [("works", True), ("fails", False)])
def test_what_was_made_in_time_counts_or_does_not(
    tmp_path: Path, emulated: None, late: None, behaviour: str, counts: bool
) -> None:
    one = replace(campaign(tmp_path, behaviour=behaviour), ends_s=250.0)
    assert carrying_out.carry_out(one, Silent()) == counts
    made = [run.record.planned.run_id for run in store.load_campaign(one.folder).runs]
    assert made == [one.order[0].run_id]


@pytest.mark.unhurried
def test_a_campaign_of_no_run_counts_for_nothing(tmp_path: Path, emulated: None, late: None) -> None:
    assert not carrying_out.carry_out(replace(campaign(tmp_path), ends_s=50.0), Silent())


@pytest.mark.unhurried
def test_a_campaign_goes_on_where_time_ended_it(tmp_path: Path, emulated: None, late: None) -> None:
    one = campaign(tmp_path)
    carrying_out.carry_out(replace(one, ends_s=250.0), Silent())
    assert carrying_out.resume(replace(one, ends_s=1e6), Silent())
    read = store.load_campaign(one.folder)
    assert [run.record.planned for run in read.runs] == list(one.order)
