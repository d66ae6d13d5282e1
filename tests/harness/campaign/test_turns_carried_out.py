"""A campaign by turns with real processes on an emulated machine: measured, looked at, stopped, gone on with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness import meters, store
from harness.analysis import adaptive
from harness.campaign import carrying_out
from harness.campaign.planned import PlannedCampaign
from harness.planning import plan
from harness.records import DecidedRatio, Purpose, Treatment
from reports.render import render
from tests.emulators.environment import EmulatedEnvironment
from tests.emulators.powercap import EmulatedZone, PowercapTree, constant
from tests.harness.campaign.test_carrying_out import POWER_MODEL, PROTOCOL
from tests.observers import Silent

pytestmark = pytest.mark.unhurried
MOST = 5


class Watching(Silent):
    def __init__(self, ends_after: int = 1000) -> None:
        self.verdicts: list[str] = []
        self.left = ends_after

    def looked(self, ratios: tuple[DecidedRatio, ...]) -> None:  # type: ignore[override]
        self.verdicts += [one.verdict for one in ratios]

    def run_finished(self, record: object) -> None:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


@pytest.fixture(autouse=True)
def emulated(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("JOULEMARK_POWERCAP_ROOT", str(tmp_path / "powercap"))
    with PowercapTree(tmp_path / "powercap", [EmulatedZone("intel-rapl:0", "package-0", constant(50.0))]):
        yield


def campaign(folder: Path) -> PlannedCampaign:
    """Of svm the worker of one version spins for 0.3 s, that of the other for 0.03 s; random_forest is alone."""
    treatments = [
        Treatment(workload=name, framework="sklearn", version=version, stage="train", dataset="digits")
        for name, versions in (("random_forest", ("1.0",)), ("svm", ("1.0", "2.0")))
        for version in versions
    ]
    protocol = PROTOCOL.model_copy(update={"repetitions": MOST, "baseline_s": 0.1})
    made = plan.make("quick", protocol, treatments, (), seed=1)
    rule = adaptive.declare(treatments, 0.05, MOST)
    made = made.model_copy(update={"until": rule, "turns": ("random_forest", "svm")})
    found = meters.find_all(meters.configuration(POWER_MODEL))
    slow, quick = EmulatedEnvironment("works"), EmulatedEnvironment("works-briefly")
    return PlannedCampaign(
        folder, made, {("sklearn", "1.0"): slow, ("sklearn", "2.0"): quick}, found, proves=True
    )


def test_it_stops_once_its_verdicts_are_there_and_has_nothing_left_to_do(tmp_path: Path) -> None:
    one, watching = campaign(tmp_path / "c"), Watching()
    assert carrying_out.carry_out(one, watching)
    read = store.load_campaign(one.folder)
    assert read.stop is not None and {ratio.verdict for ratio in read.stop.ratios} == {"better"}
    assert "better" in watching.verdicts
    assert len(read.runs) == len(read.order) < len(one.order)
    first = next(run.record.planned for run in read.runs if run.record.planned.purpose == Purpose.MEASURE)
    assert first.treatment.workload == "svm"
    unproven = replace(one, folder=tmp_path / "unproven", proves=False)
    assert carrying_out.carry_out(unproven, unseen := Watching())
    assert unseen.verdicts == []  # nobody knows yet whether the report will have them
    assert carrying_out.resume(one, Silent())
    assert len(store.load_campaign(one.folder).runs) == len(read.runs)
    assert f"of at most {MOST} blocks" in render(read)


def test_broken_off_it_goes_on_and_what_is_not_begun_is_told_as_not_carried_out(tmp_path: Path) -> None:
    one = campaign(tmp_path / "c")
    with pytest.raises(KeyboardInterrupt):
        carrying_out.carry_out(one, Watching(ends_after=2))
    read = store.load_campaign(one.folder)
    assert [run.record.planned.treatment.workload for run in read.runs] == ["svm", "svm"]
    page = render(read)
    assert f"by turns, up to 1 of at most {MOST} blocks" in page
    assert "1 of the plan not carried out" in page  # random_forest's turn
    assert carrying_out.resume(one, Silent())
    assert store.stopped(one.folder) is not None


def test_time_that_is_over_makes_no_run_and_says_that_it_does_not_count(tmp_path: Path) -> None:
    assert not carrying_out.carry_out(replace(campaign(tmp_path / "c"), ends_s=0.0), Silent())
