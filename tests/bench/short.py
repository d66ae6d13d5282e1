"""`make bench-short`: a minute's look at what must not grow, in times of a yardstick that the machine runs beside it.

Each round measures ours and the yardstick, one after the other, in seconds of CPU: a slow machine is slow in both. A
ratio has regressed where its whole 95 % interval, over the rounds, lies above what is allowed: this suite's own rule
of a gate, so that a restless machine makes no alarm. `ALLOWED` is what was found, and half as much again.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from harness import store
from harness.analysis.compare import Ratio, ratio_of
from harness.analysis.summary import analyse
from tests.bench.startup import BARE, COMPLETING, SUITE, cpu_s
from tests.campaigns import Recipe, build

ROUNDS = 4
HEADROOM = 1.5
# What was found here, in times of the yardstick (docs/benchmarks.md).
FOUND = {
    "suite --help": 1.4,
    "completion": 1.3,
    "suite status": 9.0,
    "suite plan show": 16.0,
    "analysis of 24 runs": 5.0,
    "four times as many runs": 2.2,
}
ALLOWED = {name: ratio * HEADROOM for name, ratio in FOUND.items()}
BLOCKS = 3
FRAMEWORKS = {name: 1.0 for name in ("torch", "tensorflow", "keras", "jax")}
Work = Callable[[], float]


@dataclass(frozen=True)
class Told:
    """One ratio over all rounds, with what it may be."""

    name: str
    ratio: Ratio
    allowed: float

    @property
    def regressed(self) -> bool:
        """Beyond noise: no interval, no alarm."""
        return self.ratio.low is not None and self.ratio.low > self.allowed


def own_cpu_s(work: Callable[[], object]) -> Work:
    """Of what is done in this process."""

    def timed() -> float:
        began = time.process_time()
        work()
        return time.process_time() - began

    return timed


def read(campaign: Path) -> None:
    """The yardstick of analyses: pandas takes each channel's increase, of whole runs."""
    for path in campaign.glob("runs/*/samples.parquet"):
        channels = pd.read_parquet(path).groupby("channel", observed=True)["value"]
        channels.last() - channels.first()


def pairs(folder: Path) -> dict[str, tuple[Work, Work]]:
    """Name -> ours and the yardstick."""
    small, large = folder / "small", folder / "large"
    for place, blocks in ((small, BLOCKS), (large, 4 * BLOCKS)):
        build(place, Recipe(frameworks=FRAMEWORKS, blocks=blocks, stages=("train", "infer"), seconds=4.0))

    def click() -> float:
        return cpu_s(BARE)

    def analysis(place: Path) -> Work:
        return own_cpu_s(lambda: analyse(store.load_campaign(place)))

    return {
        "suite --help": (lambda: cpu_s([*SUITE, "--help"]), click),
        "completion": (lambda: cpu_s(SUITE, COMPLETING), click),
        "suite status": (lambda: cpu_s([*SUITE, "status", str(small)]), click),
        "suite plan show": (lambda: cpu_s([*SUITE, "plan", "show"]), click),
        "analysis of 24 runs": (analysis(small), own_cpu_s(lambda: read(small))),
        "four times as many runs": (analysis(large), analysis(small)),
    }


def measured(rounds: int = ROUNDS) -> Iterator[Told]:
    """Ours and the yardstick in turn; the first round warms up and does not count."""
    with tempfile.TemporaryDirectory() as folder:
        for name, (ours, yardstick) in pairs(Path(folder)).items():
            seen = [(ours(), yardstick()) for _ in range(rounds + 1)][1:]
            differences = np.log([one / other for one, other in seen])
            yield Told(name, ratio_of(differences), ALLOWED[name])


def row(one: Told) -> str:
    """Of a table in Markdown."""
    low, high = (f"{value:.2f}" if value else "?" for value in (one.ratio.low, one.ratio.high))
    said = "**regressed**" if one.regressed else "no regression shown"
    return f"| {one.name} | {one.ratio.ratio:.2f} | {low} to {high} | {one.allowed:.1f} | {said} |"


if __name__ == "__main__":
    found = list(measured())
    print("| what | times its yardstick | 95 % interval | allowed | |\n|---|---:|---|---:|---|")
    print("\n".join(map(row, found)))
    sys.exit(any(one.regressed for one in found))
