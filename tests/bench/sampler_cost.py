"""What our sampling process costs and how right it is, beside other meters: `python -m tests.bench.sampler_cost`.

Needs root (a mount namespace shows the emulated counters to the others at /sys/class/powercap) and a package index;
takes five minutes. `--ours` leaves the others out, and needs neither.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from harness.energy.series import counter_increase
from harness.meters import rapl
from harness.meters.base import MeterConfiguration
from harness.records import PowerModel
from harness.sampling import reading
from harness.sampling.client import Sampler
from tests.bench.peers import PEERS, Peer, Result, install, measure
from tests.emulators.powercap import EmulatedZone, PowercapTree, many
from tests.emulators.waveforms import bursts, constant

POWER_MODEL = PowerModel(idle_w=10, busy_cpu_w=5)
COST_S = 30.0
WINDOW_S = 20.0
CHANNELS = 40
WRAP_AT_S = 12.0  # after the tree's start: inside every meter's window
RANGE_UJ = 262_143_328_850
TARGETS = {10: (1.0, 80), 100: (6.0, 80)}  # Hz -> percent of one core, MB


def zones(wraps: bool) -> list[EmulatedZone]:
    wave = bursts(40.0, 120.0, period_s=1.3)
    before_uj = round(wave(WRAP_AT_S) * 1e6) if wraps else RANGE_UJ // 2
    package = EmulatedZone("intel-rapl:0", "package-0", wave, RANGE_UJ, RANGE_UJ - before_uj)
    return [package, EmulatedZone("intel-rapl:0:0", "dram", constant(5.0), RANGE_UJ)]


@contextmanager
def sampler(root: Path, hz: float) -> Iterator[Sampler]:
    os.environ["JOULEMARK_POWERCAP_ROOT"] = str(root)
    with Sampler(POWER_MODEL, 1 / hz) as one:
        yield one


def cost_of_ours(hz: int, folder: Path) -> str:
    """A row: 40 channels at a rate."""
    with (
        PowercapTree(folder / f"powercap{hz}", many(CHANNELS), period_s=0.02) as tree,
        sampler(tree.root, hz) as one,
    ):
        one.begin(folder / "cost.parquet")
        time.sleep(COST_S)
        recorded = one.end()
    rows = len(pd.read_parquet(folder / "cost.parquet"))
    percent, peak_mb = 100 * recorded.cpu_s / COST_S, recorded.memory_peak_bytes / 1e6
    most, most_mb = TARGETS[hz]
    met = "yes" if percent <= most and peak_mb <= most_mb else "**no**"
    return (
        f"| {hz} Hz | {rows} | {percent:.2f} % | <= {most:g} % | {peak_mb:.0f} MB | <= {most_mb} MB | {met} |"
    )


def ours(tree: PowercapTree, folder: Path) -> Result:
    """The window lies between readings asked for, as a run's does."""
    settings = MeterConfiguration(tree.root, POWER_MODEL)
    with sampler(tree.root, 10) as one:
        one.begin(folder / "ours.parquet")
        begin_ns = time.monotonic_ns()
        one.sample()
        time.sleep(WINDOW_S)
        one.sample()
        end_ns = time.monotonic_ns()
        recorded = one.end()
    meter = rapl.find(settings)
    assert isinstance(meter, rapl.RaplMeter), meter
    series = reading.read(folder / "ours.parquet", meter.channels)
    package_j, dram_j = (counter_increase(one, begin_ns, end_ns) or 0.0 for one in series)
    return Result(begin_ns, end_ns, package_j, dram_j, recorded.cpu_s, recorded.memory_peak_bytes)


def compared(name: str, rate: str, run: Callable[[PowercapTree, Path], Result], folder: Path) -> str:
    """A row: without a wrap and with one."""
    results = []
    for wraps in (False, True):
        root = folder / name / ("wrap" if wraps else "plain")
        root.mkdir(parents=True)
        with PowercapTree(root / "powercap", zones(wraps)) as tree:
            result = run(tree, root)
        results.append((tree, result))
    (tree, plain), (wrapped_tree, wrapped) = results
    cells = [
        name,
        rate,
        error(tree, "package-0", plain, plain.package_j),
        error(wrapped_tree, "package-0", wrapped, wrapped.package_j),
        error(tree, "dram", plain, plain.dram_j),
        f"{100 * plain.cpu_s / WINDOW_S:.2f} %",
        f"{plain.peak_bytes / 1e6:.0f} MB",
    ]
    return f"| {' | '.join(cells)} |"


def error(tree: PowercapTree, zone: str, result: Result, energy_j: float) -> str:
    """Signed, in percent of the truth; the joules too where it is not small."""
    truth_j = tree.true_energy_j(zone, result.begin_ns, result.end_ns)
    percent = 100 * (energy_j / truth_j - 1)
    return (
        f"{percent:+.3f} %"
        if abs(percent) < 1
        else f"**{percent:+.0f} %** ({energy_j:.0f} J of {truth_j:.0f} J)"
    )


def row_of(peer: Peer, folder: Path) -> str:
    try:
        python = install(peer, folder)
        return compared(
            peer.requirement.replace("==", " "),
            peer.rate,
            lambda t, f: measure(peer, python, t, WINDOW_S, f),
            folder,
        )
    except subprocess.CalledProcessError as problem:
        last = (problem.stderr or "").strip().splitlines()[-1:]
        return f"| {peer.requirement} | left out: {' '.join(last) or problem} | | | | | |"


def main(only_ours: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(
            "| rate | samples | CPU of one core | target | peak memory | target | met |\n|---|---|---|---|---|---|---|"
        )
        for hz in TARGETS:
            print(cost_of_ours(hz, folder), flush=True)
        print("\n| meter | reads | package | package, one wrap | dram | CPU of one core | peak memory |")
        print("|---|---|---|---|---|---|---|")
        print(compared("Joulemark", "10 Hz", ours, folder), flush=True)
        for peer in () if only_ours else PEERS:
            print(row_of(peer, folder), flush=True)


if __name__ == "__main__":
    main("--ours" in sys.argv)
