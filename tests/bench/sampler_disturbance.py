"""How much our sampling slows the work beside it: `python -m tests.bench.sampler_disturbance [PAIRS]`.

The worst case: one core does a fixed piece of work, alone and with the sampler (10 Hz, 40 channels) on that same
core, in rounds whose order is drawn: the ratio within a round is free of the machine's slow changes. The same work
alone once more is the control, which shows the noise. Between the parts the sampler is stopped and continued by
signals. Wants a quiet machine.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import numpy.typing as npt
import psutil

from harness.sampler import Sampler
from tests.bench.sampler_cost import CHANNELS, POWER_MODEL
from tests.emulators.powercap import PowercapTree, many

PAIRS = 60
ROUNDS = 500  # of the fixed work: about half a second, five readings
TARGET_PERCENT = 0.5
SEED = 7
Floats = npt.NDArray[np.float64]
PARTS = (("alone", "alone"), ("again", "alone"), ("beside", "beside"))  # of a round: name, what runs


def prepare(core: int) -> None:
    """The worker of the pool stays on one core."""
    os.sched_setaffinity(0, {core})


def work() -> tuple[float, float]:
    """Seconds of wall clock and of CPU for the fixed work: matrix products and plain Python."""
    matrix = np.random.default_rng(0).random((160, 160))
    began_s, cpu_began_s = time.monotonic(), time.process_time()
    for _ in range(ROUNDS):
        product = matrix @ matrix
        matrix = product / product.max()
        sum(range(40_000))
    return time.monotonic() - began_s, time.process_time() - cpu_began_s


@contextlib.contextmanager
def running(sampler: psutil.Process) -> Iterator[None]:
    sampler.send_signal(signal.SIGCONT)
    try:
        yield
    finally:
        sampler.send_signal(signal.SIGSTOP)


def ratios(alone: Callable[[], Floats], beside: Callable[[], Floats], rounds: int) -> tuple[Floats, Floats]:
    """One row a round: (wall, CPU) beside the sampler over alone, and alone over alone, which shows the noise."""
    draw = random.Random(SEED)
    rows, control = [], []
    for _ in range(rounds):
        parts = dict(draw.sample(PARTS, len(PARTS)))
        took = {name: alone() if run == "alone" else beside() for name, run in parts.items()}
        rows.append(took["beside"] / took["alone"])
        control.append(took["again"] / took["alone"])
    return np.array(rows), np.array(control)


def median_and_interval(values: Floats) -> Floats:
    """Percent over 1: the median and its 95 % bootstrap interval."""
    draws = np.random.default_rng(SEED).choice(values, (5000, len(values)))
    low, high = np.percentile(np.median(draws, axis=1), [2.5, 97.5])
    return 100 * (np.array([np.median(values), low, high]) - 1)


def measure(pairs: int, folder: Path) -> tuple[Floats, Floats]:
    core = max(os.sched_getaffinity(0))
    os.environ["JOULEMARK_POWERCAP_ROOT"] = str(folder / "powercap")
    os.environ["OPENBLAS_NUM_THREADS"] = (
        "1"  # of the worker: two threads on one core would wait for each other
    )
    with (
        PowercapTree(folder / "powercap", many(CHANNELS), period_s=0.1),
        ProcessPoolExecutor(1, get_context("spawn"), prepare, (core,)) as pool,
        Sampler(POWER_MODEL, 0.1, (core,)) as sampler,
    ):
        sampler.begin(folder / "samples.parquet")
        (process,) = [one for one in psutil.Process().children() if "harness.sampling" in one.cmdline()]

        def alone() -> Floats:
            return np.array(pool.submit(work).result())

        def beside() -> Floats:
            with running(process):
                return np.array(pool.submit(work).result())

        alone()  # the pool starts up
        process.send_signal(signal.SIGSTOP)
        found = ratios(alone, beside, pairs)
        process.send_signal(signal.SIGCONT)
        sampler.end()
    return found


def main(pairs: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        found, control = measure(pairs, Path(name))
    print(f"| {pairs} pairs | median | 95 % interval | target |")
    print("|---|---|---|---|")
    target = f"< {TARGET_PERCENT:g} %"
    for label, values, wanted in (("with the sampler", found, target), ("without, again", control, "0 %")):
        for what, column in (("run time", 0), ("CPU time of the work", 1)):
            median, low, high = median_and_interval(values[:, column])
            print(f"| {what}, {label} | {median:+.2f} % | {low:+.2f} to {high:+.2f} % | {wanted} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else PAIRS)
