"""How the analysis grows: 2 000 runs of 500 to 50 000 samples each, beside a plain reading of the same files by pandas.

python -m tests.bench.analysis_scale [FOLDER]    FOLDER keeps the campaigns for another time (1.5 GB)

Each figure is a process of its own: its wall time, imports and all, and its peak of resident memory.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.campaigns import Recipe, build

RUNS, CHANNELS, PERIOD_S = 2000, 4, 0.1
SAMPLES = (1_000_000, 10_000_000, 100_000_000)
FRAMEWORKS = {name: 1.0 for name in ("torch", "tensorflow", "keras", "jax", "sklearn")}
STAGES = ("train", "infer")
TARGET_S, TARGET_BYTES = 20.0, 2e9
OURS = """
import sys
from pathlib import Path
from harness import store
from harness.analysis.summary import analyse
analyse(store.load_campaign(Path(sys.argv[1])))
"""
PANDAS = """
import sys
from pathlib import Path
import pandas as pd
for path in Path(sys.argv[1]).glob("runs/*/samples.parquet"):
    channels = pd.read_parquet(path).groupby("channel", observed=True)["value"]
    channels.last() - channels.first()
"""


@dataclass(frozen=True)
class Cost:
    wall_s: float
    peak_bytes: int


def campaign(folder: Path, samples: int) -> Path:
    place = folder / f"{samples}"
    if not place.exists():
        each_s = samples / RUNS / CHANNELS * PERIOD_S
        blocks = RUNS // (len(FRAMEWORKS) * len(STAGES))
        build(place, Recipe(frameworks=FRAMEWORKS, blocks=blocks, stages=STAGES, seconds=each_s, epochs=10))
    return place


def cost(source: str, folder: Path) -> Cost:
    began = time.monotonic()
    pid = os.posix_spawn(sys.executable, [sys.executable, "-c", source, str(folder)], os.environ)
    _, status, usage = os.wait4(pid, 0)
    assert status == 0, f"exit status {status}"
    return Cost(time.monotonic() - began, usage.ru_maxrss * 1024)


def main(folder: Path) -> None:
    print("| samples | analysis | peak memory | target met | pandas, whole runs only | peak memory |")
    print("|---|---|---|---|---|---|")
    for samples in SAMPLES:
        place = campaign(folder, samples)
        ours, pandas = cost(OURS, place), cost(PANDAS, place)
        met = "yes" if ours.wall_s <= TARGET_S and ours.peak_bytes <= TARGET_BYTES else "no"
        print(
            f"| {samples:,} | {ours.wall_s:.1f} s | {ours.peak_bytes / 1e6:.0f} MB | {met} "
            f"| {pandas.wall_s:.1f} s | {pandas.peak_bytes / 1e6:.0f} MB |",
            flush=True,
        )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
