"""RAPL zones are told apart by their names, looked at before they are summed, and read through every wrap."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.energy import Energy, run_energy
from harness.meters import rapl
from harness.meters.base import EMULATOR_MARK, MeterLost, MeterSettings
from harness.meters.rapl_host import Host, read_host
from harness.records import Channel, ChannelKind, PowerModel, Provenance, Unavailable
from harness.sampler import Sampler
from harness.series import Series, counter_increase, series_of, unwrap, wrap_hidden
from tests.emulators.powercap import EmulatedZone, PowercapTree, many
from tests.emulators.waveforms import Waveform, bursts, constant, plus, ramp, steps

pytestmark = pytest.mark.unhurried

POWER_MODEL = PowerModel(idle_w=10, busy_cpu_w=5)
INTEL = Host("GenuineIntel", virtual=False, package_of={0: 0, 1: 1})
ONE_PACKAGE = Host("GenuineIntel", virtual=False, package_of={0: 0, 1: 0})
AMD = Host("AuthenticAMD", virtual=False, package_of={0: 0, 1: 0})
NOBODY = 65534
ZONES = [
    EmulatedZone("intel-rapl:0", "package-0", constant(60.0), range_uj=20_000_000, offset_uj=19_000_000),
    EmulatedZone("intel-rapl:0:0", "core", constant(40.0)),
    EmulatedZone("intel-rapl:0:1", "uncore", constant(2.0)),
    EmulatedZone("intel-rapl:0:2", "dram", constant(5.0)),
    EmulatedZone("intel-rapl:1", "package-1", constant(30.0)),
    EmulatedZone("intel-rapl:1:0", "dram", constant(4.0)),
    EmulatedZone("intel-rapl:a", "psys", constant(150.0)),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "powercap"


def found(root: Path, host: Host = INTEL) -> rapl.RaplMeter:
    meter = rapl.find_on(root, host)
    assert isinstance(meter, rapl.RaplMeter), meter
    return meter


def lacking(root: Path, host: Host = INTEL) -> Unavailable:
    answer = rapl.find_on(root, host)
    assert isinstance(answer, Unavailable)
    return answer


def by_name(meter: rapl.RaplMeter) -> dict[str, Channel]:
    return {channel.name.removeprefix("rapl/"): channel for channel in meter.channels}


def addends(meter: rapl.RaplMeter) -> set[str]:
    return {name for name, channel in by_name(meter).items() if channel.boundary}


# Which zones count


def test_only_packages_and_dram_are_addends_of_the_energy(root: Path) -> None:
    with PowercapTree(root, ZONES):
        meter = found(root)
    assert addends(meter) == {"package-0", "package-0/dram", "package-1", "package-1/dram"}
    channels = by_name(meter)
    assert channels["package-0/core"].domain == "cpu_core"
    assert channels["package-0/uncore"].domain == "cpu_uncore"
    assert channels["psys"].domain == "psys"
    assert channels["package-0"].wraps_at == 20.0
    assert "filtering (MSR 0xBC) unknown" in channels["package-0"].note


def test_zones_are_ordered_by_their_hexadecimal_numbers(root: Path) -> None:
    with PowercapTree(root, many(18)):
        names = [channel.name for channel in found(root).channels]
    assert names == [f"rapl/package-{n}" for n in range(18)]


def test_one_register_behind_many_zones_is_counted_once(root: Path) -> None:
    """AMD on kernels 6.10 and 6.11: a zone of every die, all showing their package's register."""
    zones = [
        EmulatedZone(
            f"intel-rapl:{socket * 4 + die:x}",
            f"package-{socket}-die-{die}",
            constant(90.0 + 10 * socket),
            offset_uj=socket * 7_000_000,
            mirrors=f"intel-rapl:{socket * 4:x}" if die else "",
        )
        for socket in range(2)
        for die in range(4)
    ]
    with PowercapTree(root, zones):
        meter = found(root, Host("AuthenticAMD", virtual=False, package_of={0: 0, 1: 1}))
    assert addends(meter) == {"package-0-die-0", "package-1-die-0"}
    assert len(meter.channels) == 8
    note = by_name(meter)["package-1-die-3"].note
    assert note == "the register of package-1-die-0 once more: not added"


def test_dies_with_a_register_each_are_added_even_at_the_same_power(root: Path) -> None:
    """Intel Cascade Lake-AP: equal increments do not make two counters one."""
    zones = [
        EmulatedZone(f"intel-rapl:{die}", f"package-0-die-{die}", constant(80.0), offset_uj=die * 50_000_000)
        for die in range(2)
    ]
    with PowercapTree(root, zones):
        assert addends(found(root, ONE_PACKAGE)) == {"package-0-die-0", "package-0-die-1"}


def test_as_many_zones_as_packages_are_never_taken_for_one(root: Path) -> None:
    zones = [ZONES[0], EmulatedZone("intel-rapl:1", "package-1", constant(60.0), mirrors="intel-rapl:0")]
    with PowercapTree(root, zones):
        assert addends(found(root, INTEL)) == {"package-0", "package-1"}


def test_two_zones_of_one_name_stay_two_channels(root: Path) -> None:
    zones = [
        EmulatedZone("intel-rapl:0", "package-0", constant(60.0)),
        EmulatedZone("intel-rapl:1", "package-0", constant(60.0), offset_uj=90_000_000),
    ]
    with PowercapTree(root, zones):
        assert addends(found(root)) == {"package-0 intel-rapl:0", "package-0 intel-rapl:1"}


def test_amds_core_zone_is_no_total(root: Path) -> None:
    with PowercapTree(root, ZONES[:2]):
        core = by_name(found(root, AMD))["package-0/core"]
    assert not core.boundary
    assert core.note == "on AMD the energy of one core only"


def test_the_memory_mapped_twin_is_left_out_and_said_so(root: Path) -> None:
    with PowercapTree(root, [*ZONES[:1], EmulatedZone("intel-rapl-mmio:0", "package-0", constant(60.0))]):
        meter = found(root)
    assert list(by_name(meter)) == ["package-0"]
    assert "intel-rapl-mmio shows the same register" in by_name(meter)["package-0"].note


# What makes the meter unavailable


def test_a_machine_without_zones_says_so_with_a_remedy(tmp_path: Path) -> None:
    answer = rapl.find(MeterSettings(tmp_path, POWER_MODEL))
    assert isinstance(answer, Unavailable)
    assert "no intel-rapl zones" in answer.reason
    assert "bare metal" in answer.remedy


@pytest.mark.parametrize("text", ["0", "", "much"])
def test_a_range_that_is_no_range_is_an_error_not_0(root: Path, text: str) -> None:
    PowercapTree(root, ZONES)
    (root / "intel-rapl:1" / "max_energy_range_uj").write_text(text)
    assert "intel-rapl:1/max_energy_range_uj reads" in lacking(root).reason


def test_a_missing_range_is_an_error_not_0(root: Path) -> None:
    PowercapTree(root, ZONES)
    (root / "intel-rapl:0" / "max_energy_range_uj").unlink()
    assert "max_energy_range_uj cannot be read: No such file" in lacking(root).reason


@contextmanager
def unprivileged(folder: Path) -> Iterator[None]:
    """As a user without rights, who may still enter the test's own folders."""
    if os.geteuid() != 0:
        yield
        return
    for parent in [folder, *folder.parents][:4]:
        parent.chmod(parent.stat().st_mode | 0o111)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("file", ["energy_uj", "max_energy_range_uj"])
def test_a_closed_file_names_itself_its_rights_and_the_remedy(root: Path, file: str) -> None:
    PowercapTree(root, ZONES)
    closed = root / "intel-rapl:1" / file
    closed.chmod(0o400 if os.geteuid() == 0 else 0o000)
    with unprivileged(root):
        answer = lacking(root)
    owner = closed.owner()
    assert f"intel-rapl:1/{file} cannot be read (Permission denied)" in answer.reason
    assert f"owned by {owner}:{closed.group()}, mode 0{closed.stat().st_mode & 0o777:03o}" in answer.reason
    assert "your groups: " in answer.reason
    assert "udev rule or tmpfiles.d" in answer.remedy


def test_a_counter_that_stands_still_is_not_0_joules(root: Path) -> None:
    PowercapTree(root, ZONES[:1])
    kvm = Host("GenuineIntel", virtual=True, package_of={0: 0})
    answer = lacking(root, kvm)
    assert "intel-rapl:0/energy_uj reads constant: this is a virtual machine" in answer.reason
    assert "reads constant: the counter does not run" in lacking(root).reason


def test_a_dram_counter_that_stands_still_is_not_added(root: Path) -> None:
    with PowercapTree(root, [ZONES[0], EmulatedZone("intel-rapl:0:0", "dram", constant(0.0))]):
        meter = found(root)
    assert addends(meter) == {"package-0"}
    assert by_name(meter)["package-0/dram"].note == "reads constant: not measured, not added"


def test_a_hypervisors_counters_are_labelled_as_its_model(root: Path) -> None:
    with PowercapTree(root, ZONES):
        (root / EMULATOR_MARK).unlink()
        virtual = found(root, Host("GenuineIntel", virtual=True, package_of={0: 0, 1: 1}))
        metal = found(root)
    assert {channel.provenance for channel in virtual.channels} == {Provenance.ESTIMATED}
    assert "QEMU's rapl=true" in virtual.channels[0].note
    assert {channel.provenance for channel in metal.channels} == {Provenance.MEASURED}


def test_the_host_is_read_from_the_kernels_files(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text(
        "vendor_id\t: AuthenticAMD\nflags\t: fpu hypervisor\n\nvendor_id\t: Other\n"
    )
    for cpu, package in {0: 0, 1: 0, 10: 1}.items():
        folder = tmp_path / f"cpu{cpu}" / "topology"
        folder.mkdir(parents=True)
        (folder / "physical_package_id").write_text(f"{package}\n")
    host = read_host(tmp_path / "cpuinfo", tmp_path)
    assert host == Host("AuthenticAMD", virtual=True, package_of={0: 0, 1: 0, 10: 1})
    assert host.packages == 2
    assert host.amd
    assert read_host(tmp_path / "none", tmp_path / "none") == Host("", virtual=False, package_of={})
    assert read_host().packages >= 1  # of the machine that runs this test


# Through the real sampling process


@pytest.fixture
def sampler(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sampler]:
    monkeypatch.setenv("JOULEMARK_POWERCAP_ROOT", str(root))
    with Sampler(POWER_MODEL, 0.1) as one:
        yield one


def test_a_zone_that_vanishes_is_lost_not_zero(root: Path, tmp_path: Path, sampler: Sampler) -> None:
    with PowercapTree(root, ZONES) as tree:
        read = found(root).open(None)
        assert read()["rapl/psys"] > 0
        sampler.begin(tmp_path / "samples.parquet")
        tree.vanish("intel-rapl:1")
        with pytest.raises(MeterLost, match="stopped answering"):
            read()
        lost = sampler.end().lost
    assert "rapl" in [one.meter for one in lost]
    kept = pd.read_parquet(tmp_path / "samples.parquet")
    assert (kept["value"][kept["channel"] == "rapl/psys"] > 0).all()


def test_a_zone_that_is_gone_before_the_run_is_lost_too(root: Path) -> None:
    with PowercapTree(root, ZONES) as tree:
        meter = found(root)
        tree.vanish("intel-rapl:0")
    with pytest.raises(MeterLost):
        meter.open(None)()


SLOW = plus(
    steps([(4.0, 60.0), (3.0, 120.0)]), ramp(20.0, 60.0, over_s=30.0), bursts(0.0, 20.0, period_s=0.7)
)
BURSTY = bursts(40.0, 120.0, period_s=1.3, duty=0.4)
LONG = [  # ranges so short that the counters wrap some 150 and 120 times
    EmulatedZone("intel-rapl:0", "package-0", SLOW, range_uj=30_000_000, offset_uj=29_000_000),
    EmulatedZone("intel-rapl:1", "package-1", BURSTY, range_uj=20_000_000),
    EmulatedZone("intel-rapl:1:0", "dram", constant(4.0)),
]


def test_energy_is_the_waveforms_over_runs_and_phases_whatever_wraps(
    root: Path, tmp_path: Path, sampler: Sampler
) -> None:
    with PowercapTree(root, LONG) as tree:
        meter = found(root)
        sampler.begin(tmp_path / "samples.parquet")
        begin_ns = time.monotonic_ns()
        sampler.sample()
        time.sleep(33.0)
        sampler.sample()
        end_ns = time.monotonic_ns()
        sampler.end()
    series = series_of(pd.read_parquet(tmp_path / "samples.parquet"), meter.channels)
    slow, bursty = (one for one in series if one.channel.domain == "cpu_package")

    def error(one: Series, zone: str, start_s: float, seconds: float) -> float:
        first_ns = begin_ns + int(start_s * 1e9)
        last_ns = min(end_ns, first_ns + int(seconds * 1e9))
        got = counter_increase(one, first_ns, last_ns)
        assert got is not None
        return abs(got / tree.true_energy_j(zone, first_ns, last_ns) - 1)

    assert error(slow, "package-0", 0, 99) <= 0.001  # the whole run
    assert error(bursty, "package-1", 0, 99) <= 0.001
    assert error(slow, "package-0", 0.77, 30) <= 0.001  # a long phase that begins between two samples
    assert error(slow, "package-0", 2.31, 30) <= 0.001
    assert max(error(bursty, "package-1", 0.13 + 1.91 * n, 5) for n in range(14)) <= 0.01
    energy = run_energy(series, meter.channels, begin_ns, end_ns)
    assert_sum(energy, tree, begin_ns, end_ns)


def assert_sum(energy: Energy, tree: PowercapTree, begin_ns: int, end_ns: int) -> None:
    truth_j = {
        name: tree.true_energy_j(name, begin_ns, end_ns) for name in ("package-0", "package-1", "dram")
    }
    assert energy.domains["cpu_package"] == pytest.approx(
        truth_j["package-0"] + truth_j["package-1"], rel=1e-3
    )
    assert energy.domains["dram"] == pytest.approx(truth_j["dram"], rel=1e-3)
    assert energy.energy_j == pytest.approx(sum(truth_j.values()), rel=1e-3)
    assert energy.provenance is Provenance.SIMULATED


# Laws

WAVEFORMS = st.one_of(
    st.builds(constant, st.floats(0, 500)),
    st.builds(bursts, st.floats(0, 100), st.floats(100, 900), st.floats(0.01, 5), st.floats(0.1, 0.9)),
    st.builds(ramp, st.floats(0, 500), st.floats(0, 500), st.floats(0.1, 50)),
)
CHANNEL = Channel(
    name="rapl/package-0",
    meter="rapl",
    unit="J",
    kind=ChannelKind.COUNTER,
    provenance=Provenance.SIMULATED,
    domain="cpu_package",
    wraps_at=65.5,
)


@settings(max_examples=200, deadline=None)
@given(WAVEFORMS, st.lists(st.floats(0.001, 0.5), min_size=2, max_size=40), st.floats(0, 65.5))
def test_where_no_gap_hides_a_wrap_unwrapping_gives_the_truth(
    wave: Waveform, gaps_s: list[float], offset_j: float
) -> None:
    t_s = np.cumsum([0.0, *gaps_s])
    true_j = np.array([wave(one) for one in t_s])
    readings = np.mod(true_j + offset_j, 65.5)
    series = Series(CHANNEL, (t_s * 1e9).astype(np.int64), readings)
    if not wrap_hidden(series, rapl.MAX_POWER_W):
        assert unwrap(readings, 65.5) == pytest.approx(true_j, abs=1e-6)


@given(st.floats(60.0, 600.0))
def test_a_gap_that_could_hide_a_wrap_at_full_power_is_told(gap_s: float) -> None:
    channel = CHANNEL.model_copy(update={"wraps_at": 65_532.6})  # of a 32-bit counter at 15.3 uJ
    t_ns = np.array([0, 100_000_000, 100_000_000 + int(gap_s * 1e9)])
    hidden = wrap_hidden(Series(channel, t_ns, np.zeros(3)), rapl.MAX_POWER_W)
    assert hidden is (gap_s * rapl.MAX_POWER_W >= 65_532.6)


@given(WAVEFORMS, st.floats(0, 60), st.floats(0, 60))
def test_an_emulated_waveform_never_runs_backwards(wave: Waveform, t_s: float, more_s: float) -> None:
    assert wave(t_s + more_s) - wave(t_s) >= -1e-6 * (1 + wave(t_s))
    assert wave(0.0) == 0.0
