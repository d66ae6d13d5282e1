"""Registers that reset, stop or jump under the real sampling process, beside the truth: no run of theirs counts."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from harness import checks
from harness.energy.joules import doubts_of, run_energy
from harness.energy.series import Series, increase
from harness.meters.rapl import RaplMeter, find_on
from harness.meters.rapl_host import Host
from harness.records import Finding
from harness.sampling import reading
from harness.sampling.client import Sampler
from harness.sampling.recording import Recording
from tests.emulators.powercap import EmulatedZone, PowercapTree
from tests.emulators.waveforms import bursts, constant
from tests.harness.meters.rapl_asked import POWER_MODEL
from tests.harness.meters.test_rapl_zones import unprivileged

pytestmark = pytest.mark.unhurried

PERIOD_S = 0.1
SIX = Host("GenuineIntel", virtual=False, package_of=dict(enumerate(range(6))))
HELD_UJ = 200_000_000_000
WRAPS_SOON_UJ = 262_143_328_850 - 100_000_000
ZONES = [
    EmulatedZone("intel-rapl:0", "package-0", bursts(30.0, 70.0, 0.9), offset_uj=WRAPS_SOON_UJ),
    EmulatedZone("intel-rapl:0:0", "dram", constant(0.4), offset_uj=HELD_UJ),
    EmulatedZone("intel-rapl:1", "package-1", constant(62.0), offset_uj=HELD_UJ),
    EmulatedZone("intel-rapl:2", "package-2", constant(41.0), offset_uj=HELD_UJ),
    EmulatedZone("intel-rapl:3", "package-3", constant(43.0), offset_uj=HELD_UJ),
    EmulatedZone("intel-rapl:4", "package-4", constant(47.0), offset_uj=HELD_UJ),
    EmulatedZone("intel-rapl:5", "package-5", constant(53.0), offset_uj=HELD_UJ),
    EmulatedZone("intel-rapl:6", "psys", constant(400.0)),
]


def broken(tree: PowercapTree) -> None:
    """Each socket in its own manner; the first, which wraps, and its memory are sound."""
    time.sleep(1.5)
    tree.reset("intel-rapl:1")
    tree.freeze("intel-rapl:2")
    tree.glitch("intel-rapl:3", -20.0, 1.5 * PERIOD_S)
    tree.jump("intel-rapl:4", 500.0)
    tree.freeze("intel-rapl:5")
    time.sleep(2.0)
    tree.thaw("intel-rapl:5", catches_up=True)
    time.sleep(1.0)


def recorded(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    zones: list[EmulatedZone],
    during: Callable[[PowercapTree], None],
) -> tuple[PowercapTree, list[Series], tuple[int, int]]:
    """The window is what happens meanwhile, sampled by its own process."""
    monkeypatch.setenv("JOULEMARK_POWERCAP_ROOT", str(root))
    with PowercapTree(root, zones) as tree, Sampler(POWER_MODEL, PERIOD_S) as sampler:
        meter = find_on(root, SIX)
        assert isinstance(meter, RaplMeter), meter
        path = root.parent / "run" / "samples.parquet"
        path.parent.mkdir()
        sampler.begin(path)
        time.sleep(0.5)
        sampler.sample()
        begin_ns = time.monotonic_ns()
        during(tree)
        end_ns = time.monotonic_ns()
        sampler.sample()
        sampler.end()
    return tree, reading.read(path, meter.channels), (begin_ns, end_ns)


def findings(series: list[Series], window: tuple[int, int]) -> list[Finding]:
    return [
        *checks.counter_impossible(series, *window),
        *checks.counter_stood_still(series, *window),
        *checks.part_exceeds_whole(series, *window),
    ]


def test_every_fault_is_named_and_nothing_else_is(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree, series, window = recorded(root, monkeypatch, ZONES, broken)
    found = findings(series, window)
    for one in found:
        print(one.code, one.message)
    assert {one.severity for one in found} == {"invalid"}
    by_zone = {one.message.split(" ")[0]: one.code for one in found if one.code != "part-exceeds-whole"}
    assert by_zone == {
        "rapl/package-1": "counter-impossible",
        "rapl/package-2": "counter-stood-still",
        "rapl/package-3": "counter-impossible",
        "rapl/package-4": "counter-impossible",
        "rapl/package-5": "counter-stood-still",
    }
    by_name = {one.channel.name: one for one in series}
    for name in ("package-0", "dram"):
        sound = next(one for channel, one in by_name.items() if channel.endswith(name))
        counted = increase(sound, *window)
        assert counted is not None
        assert counted.value == pytest.approx(tree.true_energy_j(name, *window), rel=0.02)
    reset = increase(by_name["rapl/package-1"], *window)
    assert reset is not None
    assert (
        tree.true_energy_j("package-1", *window) < 400 < 50_000 < reset.value
    )  # what would have been booked
    energy = run_energy(series, [one.channel for one in series], *window, doubts_of(series))
    assert energy.energy_j is None


def test_a_sound_machine_has_no_finding(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrap, bursts and a memory that hardly draws anything are no faults."""
    tree, series, window = recorded(root, monkeypatch, ZONES, lambda _: time.sleep(4.0))
    assert findings(series, window) == []
    energy = run_energy(series, [one.channel for one in series], *window, doubts_of(series))
    names = [f"package-{number}" for number in range(6)] + ["dram"]
    assert energy.energy_j == pytest.approx(sum(tree.true_energy_j(one, *window) for one in names), rel=0.01)


def test_rights_that_were_revoked_lose_the_meter(root: Path, tmp_path: Path) -> None:
    with PowercapTree(root, ZONES[:3]) as tree:
        meter = find_on(root, SIX)
        assert isinstance(meter, RaplMeter), meter
        tree.revoke("intel-rapl:1")
        (tmp_path / "run").mkdir()
        recording = Recording(tmp_path / "run" / "samples.parquet", (meter,), PERIOD_S)
        with unprivileged(root):
            recording.sample()
        (lost,) = recording.close()["lost"]
    assert lost["meter"] == "rapl"
    assert "Permission denied" in lost["reason"]
