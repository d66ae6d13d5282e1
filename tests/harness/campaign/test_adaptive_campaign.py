"""An adaptive campaign carried out: it stops once it has its answers, stays stopped, and says so everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness import meters, store
from harness.analysis import adaptive
from harness.analysis.summary import analyse
from harness.campaign import carrying_out
from harness.campaign.planned import PlannedCampaign
from harness.planning import plan
from harness.records import Treatment
from reports.render import render
from tests.emulators.environment import EmulatedEnvironment
from tests.emulators.powercap import EmulatedZone, PowercapTree, constant
from tests.harness.campaign.test_carrying_out import POWER_MODEL, PROTOCOL
from tests.observers import Silent

pytestmark = pytest.mark.unhurried
MOST = 10


@pytest.fixture(autouse=True)
def emulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("JOULEMARK_POWERCAP_ROOT", str(tmp_path / "powercap"))
    monkeypatch.setenv(
        "JOULEMARK_HOME", str(tmp_path / "home")
    )  # no data set by which a plan's samples are known
    with PowercapTree(tmp_path / "powercap", [EmulatedZone("intel-rapl:0", "package-0", constant(50.0))]):
        yield


def campaign(folder: Path) -> PlannedCampaign:
    """The worker of one version spins for 0.3 s, that of the other for 0.03 s."""
    treatments = [
        Treatment(workload="svm", framework="sklearn", version=version, stage="train", dataset="digits")
        for version in ("1.0", "2.0")
    ]
    protocol = PROTOCOL.model_copy(update={"repetitions": MOST, "baseline_s": 0.1})
    made = plan.make("quick", protocol, treatments, (), seed=1)
    made = made.model_copy(update={"until": adaptive.declare(treatments, 0.05, MOST)})
    found = meters.find_all(meters.configuration(POWER_MODEL))
    slow, quick = EmulatedEnvironment("works"), EmulatedEnvironment("works-briefly")
    return PlannedCampaign(folder, made, {("sklearn", "1.0"): slow, ("sklearn", "2.0"): quick}, found)


def test_it_stops_at_the_look_that_decides(tmp_path: Path) -> None:
    one = campaign(tmp_path / "c")
    assert carrying_out.carry_out(one, Silent())
    read = store.load_campaign(one.folder)
    assert read.stop is not None
    assert len(read.runs) == len(read.order) == 2 * read.stop.blocks < len(read.record.order)
    assert {(ratio.verdict, ratio.decision) for ratio in read.stop.ratios} == {("better", "verdict reached")}
    stopped, count = (one.folder / store.STOP_FILE).read_text(), len(read.runs)
    assert carrying_out.resume(one, Silent())  # nothing is missing
    assert len(store.load_campaign(one.folder).runs) == count
    assert (one.folder / store.STOP_FILE).read_text() == stopped


def test_its_report_has_the_interval_of_the_looks_and_nothing_open(tmp_path: Path) -> None:
    one = campaign(tmp_path / "c")
    assert carrying_out.carry_out(one, Silent())
    read = store.load_campaign(one.folder)
    found = analyse(read)
    assert found.open == ()
    rows = found.costs.set_index(["quantity", "treatment"])
    adjusted = rows.loc[("duration_s", "sklearn 2.0")]
    bare = replace(
        read, record=read.record.model_copy(update={"plan": one.plan.model_copy(update={"until": None})})
    )
    fixed = (
        analyse(bare, reference="sklearn@1.0")
        .costs.set_index(["quantity", "treatment"])
        .loc[("duration_s", "sklearn 2.0")]
    )
    assert adjusted["low"] < fixed["low"] < fixed["high"] < adjusted["high"]
    assert adjusted["ratio"] == pytest.approx(fixed["ratio"], rel=0.01)  # median-unbiased
    page = render(read)
    assert f"stopped after {read.stop.blocks if read.stop else 0} of at most {MOST} blocks" in page


def test_killed_before_its_answer_it_goes_on_to_the_same_end(tmp_path: Path) -> None:
    class Killed(Silent):
        def run_finished(self, record: object) -> None:
            self.runs = getattr(self, "runs", 0) + 1
            if self.runs == 5:
                raise KeyboardInterrupt

    one = campaign(tmp_path / "c")
    with pytest.raises(KeyboardInterrupt):
        carrying_out.carry_out(one, Killed())
    assert not (one.folder / store.STOP_FILE).exists()
    assert carrying_out.resume(one, Silent())
    assert store.stopped(one.folder) is not None
