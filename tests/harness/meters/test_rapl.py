"""RAPL zones are told apart by their names and read from a tree that behaves like the kernel's."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from harness.energy import counter_increase, run_energy, series_of
from harness.meters import find_all, rapl
from harness.meters.base import MeterLost, MeterSettings
from harness.records import PowerModel, Provenance, Unavailable
from harness.sampler import Sampler
from tests.emulators.powercap import EmulatedZone, PowercapTree, constant

POWER_MODEL = PowerModel(idle_w=10, busy_cpu_w=5)
ZONES = [
    EmulatedZone("intel-rapl:0", "package-0", constant(60.0), range_uj=20_000_000, offset_uj=19_000_000),
    EmulatedZone("intel-rapl:0:0", "core", constant(40.0)),
    EmulatedZone("intel-rapl:0:1", "dram", constant(5.0)),
    EmulatedZone("intel-rapl:1", "package-1", constant(30.0)),
    EmulatedZone("intel-rapl:1:0", "dram", constant(4.0)),
    EmulatedZone("intel-rapl:a", "psys", constant(150.0)),
]


def settings(root: Path) -> MeterSettings:
    return MeterSettings(root, POWER_MODEL)


def found(root: Path) -> rapl.RaplMeter:
    meter = rapl.find(settings(root))
    assert isinstance(meter, rapl.RaplMeter)
    return meter


def test_only_packages_and_dram_are_addends_of_the_energy(tmp_path: Path) -> None:
    PowercapTree(tmp_path / "powercap", ZONES)
    channels = {channel.name: channel for channel in found(tmp_path / "powercap").channels}
    assert {name for name, one in channels.items() if one.boundary} == {
        "rapl/package-0",
        "rapl/package-0/dram",
        "rapl/package-1",
        "rapl/package-1/dram",
    }
    assert channels["rapl/psys"].domain == "psys"
    assert channels["rapl/package-0"].wraps_at == 20.0


@pytest.fixture
def sampler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sampler]:
    """The real sampling process on the emulated tree."""
    monkeypatch.setenv("JOULEMARK_POWERCAP_ROOT", str(tmp_path / "powercap"))
    with Sampler(POWER_MODEL, 0.05) as one:
        yield one


def test_sampled_energy_is_the_waveforms_though_the_counter_wraps(tmp_path: Path, sampler: Sampler) -> None:
    with PowercapTree(tmp_path / "powercap", ZONES) as tree:
        meter = found(tmp_path / "powercap")
        sampler.begin(tmp_path / "samples.parquet")
        time.sleep(0.2)
        begin_ns = time.monotonic_ns()
        time.sleep(2.0)  # 120 J over a counter of 20 J: six wraps
        end_ns = time.monotonic_ns()
        time.sleep(0.2)
        sampler.end()
    series = series_of(pd.read_parquet(tmp_path / "samples.parquet"), meter.channels)
    energy = run_energy(series, meter.channels, begin_ns, end_ns)
    truth_j = {
        domain: sum(tree.true_energy_j(name, begin_ns, end_ns) for name in names)
        for domain, names in {"cpu_package": ["package-0", "package-1"]}.items()
    }
    assert energy.domains["cpu_package"] == pytest.approx(truth_j["cpu_package"], rel=0.01)
    assert energy.domains["dram"] == pytest.approx(9.0 * (end_ns - begin_ns) / 1e9, rel=0.01)
    assert energy.energy_j == pytest.approx(sum(energy.domains.values()))
    assert energy.provenance is Provenance.SIMULATED
    psys = next(one for one in series if one.channel.domain == "psys")
    assert counter_increase(psys, begin_ns, end_ns) == pytest.approx(
        150 * (end_ns - begin_ns) / 1e9, rel=0.01
    )


def test_a_machine_without_zones_says_so_with_a_remedy(tmp_path: Path) -> None:
    answer = rapl.find(settings(tmp_path))
    assert isinstance(answer, Unavailable)
    assert "no intel-rapl zones" in answer.reason
    assert answer.remedy


def test_one_unreadable_range_makes_the_meter_unavailable(tmp_path: Path) -> None:
    PowercapTree(tmp_path / "powercap", ZONES)
    (tmp_path / "powercap" / "intel-rapl:0" / "max_energy_range_uj").unlink()
    answer = rapl.find(settings(tmp_path / "powercap"))
    assert isinstance(answer, Unavailable)
    assert "max_energy_range_uj" in answer.reason


def test_a_zone_that_stops_answering_is_lost_not_zero(tmp_path: Path, sampler: Sampler) -> None:
    PowercapTree(tmp_path / "powercap", ZONES)
    meter = found(tmp_path / "powercap")
    sampler.begin(tmp_path / "samples.parquet")
    read = meter.open(None)
    assert read()["rapl/package-0"] == 19.0
    (tmp_path / "powercap" / "intel-rapl:0" / "energy_uj").write_text("")
    with pytest.raises(MeterLost):
        read()
    assert [one.meter for one in sampler.end().lost] == ["rapl"]
    kept = pd.read_parquet(tmp_path / "samples.parquet")
    assert set(kept["value"][kept["channel"] == "rapl/package-0"]) == {19.0}


def test_the_estimate_stands_in_only_where_nothing_measures(tmp_path: Path) -> None:
    PowercapTree(tmp_path / "powercap", ZONES)
    assert "estimate/cpu" not in {c.name for c in find_all(settings(tmp_path / "powercap")).channels}
    substitute = find_all(settings(tmp_path / "nothing"))
    assert [c.name for c in substitute.channels if c.boundary] == ["estimate/cpu"]
    assert substitute.channels[-1].provenance is Provenance.ESTIMATED
