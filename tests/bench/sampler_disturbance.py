"""How much our sampling slows the work beside it: `python -m tests.bench.sampler_disturbance [ROUNDS]`.

A fixed piece of work of about one sampling period runs alone and beside the sampler (10 Hz, 40 channels), in rounds
whose order is drawn: the ratio within a round is free of the machine's slow changes. The same work alone once more
is the control, which shows the noise. Once as a campaign places the two on this machine, and once the worst case,
both on one core. Between the parts the sampler is stopped and continued by signals. Wants a quiet machine.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import numpy.typing as npt
import psutil

from harness.host.machine import Cpus, share_cpus
from harness.sampling.client import Sampler
from tests.bench.sampler_cost import CHANNELS, POWER_MODEL
from tests.emulators.powercap import PowercapTree, many

ROUNDS = 1000
STEPS = 100  # of the fixed work: about a tenth of a second, one reading
TARGET_PERCENT = 0.5
SEED = 7
Floats = npt.NDArray[np.float64]
PARTS = (("alone", "alone"), ("again", "alone"), ("beside", "beside"))  # of a round: name, what runs


def prepare(cores: Sequence[int]) -> None:
    """The worker of the pool stays on these cores."""
    os.sched_setaffinity(0, cores)


def work() -> float:
    """Seconds of wall clock for the fixed work: matrix products and plain Python."""
    matrix = np.random.default_rng(0).random((160, 160))
    began_s = time.monotonic()
    for _ in range(STEPS):
        product = matrix @ matrix
        matrix = product / product.max()
        sum(range(40_000))
    return time.monotonic() - began_s


@contextlib.contextmanager
def running(sampler: psutil.Process) -> Iterator[None]:
    sampler.send_signal(signal.SIGCONT)
    try:
        yield
    finally:
        sampler.send_signal(signal.SIGSTOP)


def ratios(alone: Callable[[], float], beside: Callable[[], float], rounds: int) -> tuple[Floats, Floats]:
    """One value a round: beside the sampler over alone, and alone over alone, which shows the noise."""
    draw = random.Random(SEED)
    found, control = [], []
    for _ in range(rounds):
        parts = dict(draw.sample(PARTS, len(PARTS)))
        took_s = {name: alone() if run == "alone" else beside() for name, run in parts.items()}
        found.append(took_s["beside"] / took_s["alone"])
        control.append(took_s["again"] / took_s["alone"])
    return np.array(found), np.array(control)


def median_and_interval(values: Floats) -> Floats:
    """Percent over 1: the median and its 95 % bootstrap interval."""
    draws = np.random.default_rng(SEED).choice(values, (2000, len(values)))
    low, high = np.percentile(np.median(draws, axis=1), [2.5, 97.5])
    return 100 * (np.array([np.median(values), low, high]) - 1)


def measure(rounds: int, folder: Path, cpus: Cpus) -> tuple[Floats, Floats]:
    os.environ["JOULEMARK_POWERCAP_ROOT"] = str(folder / "powercap")
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # of the worker: threads on one core would wait for each other
    with (
        PowercapTree(folder / "powercap", many(CHANNELS), period_s=0.1),
        ProcessPoolExecutor(1, get_context("spawn"), prepare, (cpus.workload,)) as pool,
        Sampler(POWER_MODEL, 0.1, cpus.sampler) as sampler,
    ):
        sampler.begin(folder / "samples.parquet")
        (process,) = [
            one for one in psutil.Process().children() if "harness.sampling.server" in one.cmdline()
        ]

        def alone() -> float:
            return pool.submit(work).result()

        def beside() -> float:
            with running(process):
                return pool.submit(work).result()

        alone()  # the pool starts up
        process.send_signal(signal.SIGSTOP)
        found = ratios(alone, beside, rounds)
        process.send_signal(signal.SIGCONT)
        sampler.end()
    return found


def main(rounds: int) -> None:
    last = (max(os.sched_getaffinity(0)),)
    print(f"| {rounds} rounds | median | 95 % interval | target |")
    print("|---|---|---|---|")
    for place, cpus in (("as in a campaign", share_cpus()), ("both on one core", Cpus(last, last))):
        with tempfile.TemporaryDirectory() as name:
            found, control = measure(rounds, Path(name), cpus)
        target = f"< {TARGET_PERCENT:g} %"
        for label, values, wanted in (
            ("with the sampler", found, target),
            ("without, again", control, "0 %"),
        ):
            median, low, high = median_and_interval(values)
            print(
                f"| {place}: {label} | {median:+.2f} % | {low:+.2f} to {high:+.2f} % | {wanted} |", flush=True
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)
