"""A whole campaign whose energy is what the user chose: the wall's, by whichever meter, and never an estimate."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from harness import meters, store
from harness.analysis.compare import mixed
from harness.analysis.tables import tables
from harness.calibration import choice
from harness.campaign import carrying_out
from harness.campaign.planned import PlannedCampaign
from harness.records import Outcome, RunRecord
from reports.sections import provenance
from tests.emulators.board import PowerSupply
from tests.emulators.plug import Plug
from tests.emulators.powercap import EmulatedZone, PowercapTree
from tests.emulators.waveforms import constant
from tests.harness.campaign import test_carrying_out
from tests.observers import Silent

BASELINE_S = 2.0  # a program that is asked for joules may start 50 ms late: a tenth of half a second
WATTS, INSIDE_W = 5000.0, 50.0  # a plug so strong that its steps of 3.6 J are fine beside a run of 0.3 s
COMMAND = f"""
[[command]]
name = "bmc"
argv = ["{sys.executable}", "-S", "-c", "import time; print(time.monotonic() * {WATTS})"]
unit = "J"
period_s = 0.1
"""


@pytest.fixture
def plug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plug]:
    """A machine with RAPL, a power supply that tells its power, a program and a plug."""
    for name in ("powercap", "hwmon", "home"):
        variable = {"home": "JOULEMARK_HOME"}.get(name, f"JOULEMARK_{name.upper()}_ROOT")
        monkeypatch.setenv(variable, str(tmp_path / name))
    monkeypatch.setenv("JOULEMARK_METERS", str(tmp_path / "meters.toml"))
    zones = [EmulatedZone("intel-rapl:0", "package-0", constant(INSIDE_W))]
    with (
        PowercapTree(tmp_path / "powercap", zones),
        PowerSupply(tmp_path / "hwmon", WATTS),
        Plug(constant(WATTS), update_s=0.05) as one,
    ):
        configure(tmp_path, one)
        yield one


def configure(tmp_path: Path, plug: Plug, wall: str = "") -> None:
    table = f'[[http]]\nname = "plug"\npreset = "shelly"\nurl = "{plug.url}"\n'
    times = "period_s = 0.05\nupdate_s = 0.05\ntimeout_s = 0.5\n"
    (tmp_path / "meters.toml").write_text(wall + COMMAND + table + times)


def campaign(tmp_path: Path, boundary: str, behaviour: str = "works") -> PlannedCampaign:
    one = test_carrying_out.campaign(tmp_path, behaviour)
    made = one.plan.model_copy(update={"boundary": boundary, "baseline_s": BASELINE_S})
    found = meters.find_all(meters.configuration(made.power_model, boundary))
    return replace(one, folder=tmp_path / boundary.replace("/", "-"), plan=made, meters=found)


def runs_of(one: PlannedCampaign) -> pd.DataFrame:
    return tables(store.load_campaign(one.folder)).runs


def records_of(one: PlannedCampaign) -> list[RunRecord]:
    return [run.record for run in store.load_campaign(one.folder).runs]


@pytest.mark.parametrize(
    ("boundary", "wall", "domain", "kind"),
    [
        ("wall", "", "wall", "derived"),  # integrated watts of the plug
        ("wall", 'wall = ["http/plug/energy"]', "wall", "measured"),
        ("wall", 'wall = ["hwmon/psu/energy1_input"]', "wall", "measured"),
        ("wall", 'wall = ["hwmon/psu/power1_input"]', "wall", "derived"),
        ("wall", 'wall = ["command/bmc"]', "wall", "measured"),
        ("hwmon/psu/energy1_input", "", "hwmon:psu/energy1", "measured"),
        ("command/bmc", "", "command:bmc", "measured"),
    ],
)
def test_the_energy_is_what_was_chosen_gross_and_net_and_nothing_is_estimated(
    plug: Plug, tmp_path: Path, boundary: str, wall: str, domain: str, kind: str
) -> None:
    configure(tmp_path, plug, wall)
    one = campaign(tmp_path, boundary)
    assert carrying_out.carry_out(one, Silent())
    runs = runs_of(one)
    assert set(runs["energy_boundary"]) == {domain}
    assert set(runs["provenance"]) == {kind}
    truth_j = WATTS * runs["duration_s"]
    assert ((runs["energy_j"] - truth_j).abs() < 0.15 * truth_j).all()
    assert (runs["energy_uncertainty_j"].isna() | (runs["energy_uncertainty_j"] < truth_j)).all()
    assert runs["idle_power_w"].tolist() == pytest.approx([WATTS] * 2, rel=0.1)
    assert (runs["energy_net_j"].abs() < 0.3 * truth_j).all()
    assert "estimate/cpu" not in [channel.name for record in records_of(one) for channel in record.channels]


def test_the_choice_stands_in_the_record_and_in_the_report(plug: Plug, tmp_path: Path) -> None:
    one = campaign(tmp_path, "wall")
    assert carrying_out.carry_out(one, Silent())
    read = store.load_campaign(one.folder)
    assert read.record.plan.boundary == "wall"
    assert [channel.name for channel in read.record.channels if channel.boundary] == ["http/plug/power"]
    (plan, _, _) = provenance.view(None, read)["tables"]  # type: ignore[arg-type]
    assert ["energy boundary", "wall"] in [[cell.text for cell in row.cells] for row in plan.rows]
    assert plug.url.removeprefix("http://") not in (one.folder / store.CAMPAIGN_FILE).read_text()


def test_a_machine_with_a_plug_alone_measures_and_reads_no_estimate(
    plug: Plug, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("JOULEMARK_POWERCAP_ROOT", "JOULEMARK_HWMON_ROOT"):
        monkeypatch.setenv(variable, str(tmp_path / "nothing"))
    one = campaign(tmp_path, "http/plug/energy")
    assert carrying_out.carry_out(one, Silent())
    assert set(runs_of(one)["provenance"]) == {"measured"}
    for run in store.load_campaign(one.folder).runs:
        sampled = set(pd.read_parquet(run.samples_path)["channel"])
        assert "http/plug/energy" in sampled and "estimate/cpu" not in sampled


def test_joules_of_two_boundaries_are_never_compared(plug: Plug, tmp_path: Path) -> None:
    both = [campaign(tmp_path, boundary) for boundary in ("hwmon/psu/energy1_input", "command/bmc")]
    for one in both:
        assert carrying_out.carry_out(one, Silent())
    assert mixed(pd.concat([runs_of(one) for one in both])) == (
        "command:bmc and hwmon:psu/energy1 energy are never compared"
    )
    records = [store.load_campaign(one.folder).record for one in both]
    changed = list(choice.changes(records[0], records[1].machine, records[1].channels))  # type: ignore[arg-type]
    assert "the channels of the run's energy" in changed


def test_a_plug_that_goes_away_voids_the_runs_and_nothing_takes_its_place(plug: Plug, tmp_path: Path) -> None:
    class PullsThePlug(Silent):
        def run_finished(self, record: RunRecord) -> None:
            if record.planned.position == 1:
                plug.go_away()

    one = campaign(tmp_path, "wall", "works-long")
    assert not carrying_out.carry_out(one, PullsThePlug())
    first, second = records_of(one)
    assert (first.outcome, second.outcome) == (Outcome.OK, Outcome.INVALID)
    assert "http plug: it gave no reading 3 times: it cannot be asked" in second.reason
    energies = runs_of(one).set_index("run_id")["energy_j"]
    assert energies[first.planned.run_id] == pytest.approx(WATTS * 5, rel=0.1)
    assert pd.isna(energies[second.planned.run_id])
