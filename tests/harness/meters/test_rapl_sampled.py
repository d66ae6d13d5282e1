"""RAPL through the real sampling process: energies beside the truth through every wrap, and a zone that vanishes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from harness.energy.joules import Energy, run_energy
from harness.energy.series import Series, counter_increase
from harness.meters.base import MeterLost
from harness.records import Provenance
from harness.sampling import reading
from harness.sampling.client import Sampler
from tests.emulators.powercap import EmulatedZone, PowercapTree
from tests.emulators.waveforms import bursts, constant, plus, ramp, steps
from tests.harness.meters.rapl_asked import POWER_MODEL, ZONES, found

pytestmark = pytest.mark.unhurried

SLOW = plus(
    steps([(4.0, 60.0), (3.0, 120.0)]), ramp(20.0, 60.0, over_s=30.0), bursts(0.0, 20.0, period_s=0.7)
)
BURSTY = bursts(40.0, 120.0, period_s=1.3, duty=0.4)
LONG = [  # ranges so short that the counters wrap some 150 and 120 times
    EmulatedZone("intel-rapl:0", "package-0", SLOW, range_uj=30_000_000, offset_uj=29_000_000),
    EmulatedZone("intel-rapl:1", "package-1", BURSTY, range_uj=20_000_000),
    EmulatedZone("intel-rapl:1:0", "dram", constant(4.0)),
]


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
    series = reading.read(tmp_path / "samples.parquet", meter.channels)
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
