"""Does memory stay flat over 10 000 steps? What is held after each thousand, in every framework's environment.

python -m tests.bench.flat_memory [THOUSANDS] [WORKLOAD | FRAMEWORK | generate | serve]...

A step is one of training, or with `generate` or `serve` a token that the language model writes in each of its texts.
Small batches of the spec's own examples, trained as a run trains, for THOUSANDS of steps (10, at least 3). Prints a
table in Markdown; what grows after the first two thousand steps, by which time all is compiled and allocated, grows for
ever.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator

from harness import paths
from harness.environments.base import thread_variables
from harness.environments.frameworks import framework
from harness.environments.virtualenv import VirtualenvEnvironment
from harness.inventory import catalog
from suite.llm.spec import UNITS_OF
from suite.neural import NeuralSpec
from suite.task import TRAIN

WORKER = "tests.bench.flat_memory_worker"
THREADS = 2
STEPS, SETTLED = 10, 2  # thousands
TARGET = 0.02  # of what is held, growth over all others
MB = 1e6


def main(words: list[str]) -> None:
    numbers, wanted = (
        [int(one) for one in words if one.isdigit()],
        [one for one in words if not one.isdigit()],
    )
    thousands = max([SETTLED + 1, *numbers]) if numbers else STEPS
    stage = next((one for one in wanted if one in UNITS_OF), TRAIN)
    wanted = ["llm", *wanted] if stage in UNITS_OF else wanted
    print(
        f"| workload | framework | held after 2 000 steps | after {thousands} 000 | growth (target < 2 %) | a step |"
    )
    print("|---|---|---|---|---|---|")
    for workload, name in places(wanted):
        print(row(workload, name, held_bytes(workload, name, thousands, stage)), flush=True)


def places(wanted: list[str]) -> Iterator[tuple[str, str]]:
    workloads = {name: one for name, one in catalog.workloads().items() if isinstance(one.spec, NeuralSpec)}
    for workload in sorted(workloads.keys() & set(wanted) or workloads):
        names = set(workloads[workload].frameworks)
        yield from ((workload, name) for name in sorted(names & set(wanted) or names))


def held_bytes(workload: str, name: str, thousands: int, stage: str) -> list[int]:
    """After each thousand steps."""
    environment = VirtualenvEnvironment(framework(name), framework(name).default_version)
    environment.prepare()
    variables = {**os.environ, **thread_variables(THREADS), "PYTHONPATH": str(paths.ROOT)}
    command = [str(environment.python), "-m", WORKER, workload, name, str(THREADS), str(thousands), stage]
    told = subprocess.run(command, env=variables, check=False, capture_output=True)
    assert told.returncode == 0, told.stderr.decode()[-2000:]
    found: list[int] = json.loads(told.stdout.splitlines()[-1])
    return found


def row(workload: str, name: str, held: list[int]) -> str:
    settled, last = held[SETTLED - 1], held[-1]
    growth = last / settled - 1
    verdict = "" if growth < TARGET else " **grows**"
    of_a_step = f"{(last - settled) / (len(held) - SETTLED) / 1000:+.0f} B"
    sizes = f"{settled / MB:.0f} MB | {last / MB:.0f} MB"
    return f"| {workload} | {name} | {sizes} | {growth:+.1%}{verdict} | {of_a_step} |"


if __name__ == "__main__":
    main(sys.argv[1:])
