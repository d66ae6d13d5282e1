"""A whole campaign with real processes on an emulated machine: order, baselines, states, failures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from harness import meters, store
from harness.analysis.tables import measured, tables
from harness.campaign import carrying_out
from harness.campaign.planned import PlannedCampaign
from harness.planning import plan
from harness.planning.plan_files import Protocol
from harness.records import CoolDown, Outcome, PowerModel, Treatment
from tests.emulators.environment import EmulatedEnvironment
from tests.emulators.powercap import EmulatedZone, PowercapTree, constant
from tests.observers import Silent

POWER_MODEL = PowerModel(idle_w=10, busy_cpu_w=8)
PROTOCOL = Protocol(
    repetitions=2,
    sample_period_s=0.05,
    baseline_s=0.5,
    run_timeout_s=30,
    expected_run_s=1,
    power_model=POWER_MODEL,
)
WATTS = 50.0


@pytest.fixture
def emulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PowercapTree]:
    monkeypatch.setenv("JOULEMARK_POWERCAP_ROOT", str(tmp_path / "powercap"))
    monkeypatch.setenv(
        "JOULEMARK_HOME", str(tmp_path / "home")
    )  # no data set by which a plan's samples are known
    with PowercapTree(
        tmp_path / "powercap", [EmulatedZone("intel-rapl:0", "package-0", constant(WATTS))]
    ) as one:
        yield one


def campaign(
    tmp_path: Path, behaviour: str = "works", stages: tuple[str, ...] = ("train",)
) -> PlannedCampaign:
    treatments = [
        Treatment(workload="svm", framework="sklearn", version="1.0", stage=stage, dataset="digits")
        for stage in stages
    ]
    made = plan.make("quick", PROTOCOL, treatments, (), seed=1)
    found = meters.find_all(meters.configuration(POWER_MODEL))
    return PlannedCampaign(
        tmp_path / "campaign", made, {("sklearn", "1.0"): EmulatedEnvironment(behaviour)}, found
    )


def test_every_planned_run_is_stored_and_a_baseline_before_each_block(
    tmp_path: Path, emulated: PowercapTree
) -> None:
    one = campaign(tmp_path)
    assert carrying_out.carry_out(one, Silent())
    read = store.load_campaign(one.folder)
    assert [run.record.planned for run in read.runs] == list(read.record.order)
    runs = tables(read).runs
    assert runs["idle_power_w"].tolist() == pytest.approx([WATTS, WATTS], rel=0.05)
    assert set(runs["provenance"]) == {"simulated"}
    assert runs["energy_net_j"].abs().max() < 0.1 * runs["energy_j"].min()
    assert (
        runs["energy_uncertainty_j"] < 0.1 * runs["energy_j"]
    ).all()  # the emulator itself is late at times
    assert list((one.folder / store.UNFINISHED).iterdir()) == []


def test_a_run_on_a_machine_that_does_not_come_to_rest_says_so(
    tmp_path: Path, emulated: PowercapTree
) -> None:
    """It is at rest once it has been for five seconds, for which it has 0.3 s."""
    one = campaign(tmp_path)
    rule = CoolDown(at_least_s=5.0, at_most_s=0.3)
    impossible = replace(one, plan=one.plan.model_copy(update={"cool_down": rule}))
    assert carrying_out.carry_out(impossible, Silent())
    for run in store.load_campaign(one.folder).runs:
        assert "cool-down-timed-out" in [finding.code for finding in run.record.findings]


def test_the_energy_of_a_run_is_the_emulated_truth(tmp_path: Path, emulated: PowercapTree) -> None:
    carrying_out.carry_out(campaign(tmp_path), Silent())
    for run in store.load_campaign(tmp_path / "campaign").runs:
        truth_j = emulated.true_energy_j("package-0", run.record.go_ns or 0, run.record.done_ns or 0)
        found = tables(store.load_campaign(tmp_path / "campaign")).runs.set_index("run_id")["energy_j"]
        assert found[run.record.planned.run_id] == pytest.approx(truth_j, rel=0.01)


def test_inference_without_a_trained_state_is_not_applicable_with_the_reason(
    tmp_path: Path, emulated: PowercapTree
) -> None:
    one = campaign(tmp_path, stages=("infer",))  # the emulated worker keeps no state
    assert not carrying_out.carry_out(one, Silent())
    records = [run.record for run in store.load_campaign(one.folder).runs]
    assert [record.outcome for record in records] == [Outcome.OK, *[Outcome.NOT_APPLICABLE] * 2]
    assert records[-1].reason == "there is no trained state: its preparation run failed"


def test_a_failed_run_does_not_stop_the_others(tmp_path: Path, emulated: PowercapTree) -> None:
    one = campaign(tmp_path, behaviour="fails")
    assert not carrying_out.carry_out(one, Silent())
    assert list(store.outcomes(one.folder).values()) == [Outcome.FAILED] * 2


def test_warm_up_runs_come_first_are_recorded_and_do_not_count(
    tmp_path: Path, emulated: PowercapTree
) -> None:
    one = campaign(tmp_path)
    one = replace(one, plan=one.plan.model_copy(update={"warm_up_s": 1.0, "idle_s": 0.2}))
    assert carrying_out.carry_out(one, Silent())
    runs = [run.record for run in store.load_campaign(one.folder).runs]
    warm_ups = [record for record in runs if record.planned.purpose == "warm-up"]
    assert runs[: len(warm_ups)] == warm_ups
    names = [record.planned.run_id for record in warm_ups]
    assert names == [f"warm-up-{number:03d}" for number in range(1, len(names) + 1)]
    worked_s = [(record.exit_ns - warm_ups[0].start_ns) / 1e9 for record in warm_ups]
    assert all(one_s < 1.0 for one_s in worked_s[:-1])  # none begins once the time is over
    assert len(measured(tables(store.load_campaign(one.folder)).runs)) == len(one.order) == 2
    pauses_s = [(after.start_ns - before.exit_ns) / 1e9 for before, after in pairwise(runs[len(warm_ups) :])]
    assert all(pause_s >= 0.2 for pause_s in pauses_s)


def test_a_warm_up_that_fails_ends_at_once(tmp_path: Path, emulated: PowercapTree) -> None:
    one = campaign(tmp_path, behaviour="fails")
    one = replace(one, plan=one.plan.model_copy(update={"warm_up_s": 60.0}))
    assert not carrying_out.carry_out(one, Silent())
    assert len(store.load_campaign(one.folder).runs) == 1 + len(one.order)


def test_fail_fast_ends_at_the_first_run_that_does_not_count(tmp_path: Path, emulated: PowercapTree) -> None:
    one = replace(campaign(tmp_path, behaviour="fails"), fail_fast=True)
    assert not carrying_out.carry_out(one, Silent())
    assert list(store.outcomes(one.folder).values()) == [Outcome.FAILED]


def test_what_did_not_count_is_repeated_at_the_end_of_its_block(
    tmp_path: Path, emulated: PowercapTree
) -> None:
    one = campaign(tmp_path, behaviour="learns-nothing")
    one = replace(one, plan=one.plan.model_copy(update={"retries": 1}))
    assert not carrying_out.carry_out(one, Silent())
    names = [run.record.planned.run_id for run in store.load_campaign(one.folder).runs]
    first, second = (planned.run_id for planned in one.order)
    assert names == [first, f"{first}-again-1", second, f"{second}-again-1"]
    assert set(store.outcomes(one.folder).values()) == {Outcome.INVALID}


def test_a_machine_without_counters_has_no_baseline_rather_than_a_zero(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOULEMARK_POWERCAP_ROOT", str(tmp_path / "nothing"))
    one = campaign(tmp_path)
    if not one.meters.see_the_idle_machine:
        carrying_out.carry_out(one, Silent())
        runs = tables(store.load_campaign(one.folder)).runs
        assert runs[["idle_power_w", "energy_net_j"]].isna().all(axis=None)
        assert set(runs["provenance"]) == {"estimated"}
