"""Does memory stay flat over 10 000 steps? What is held after each thousand, in every framework's environment.

python -m tests.bench.flat_memory [WORKLOAD | FRAMEWORK]...

Small batches of the spec's own examples, trained as a run trains. Prints a table in Markdown; what grows after the
first two thousand steps, by which time all is compiled and allocated, grows for ever.
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
from suite.neural import NeuralSpec

WORKER = "tests.bench.flat_memory_worker"
THREADS = 2
SETTLED = 2  # thousands of steps
TARGET = 0.02  # of what is held, growth over the other eight thousand
MB = 1e6


def main(wanted: list[str]) -> None:
    print("| workload | framework | held after 2 000 steps | after 10 000 | growth (target < 2 %) |")
    print("|---|---|---|---|---|")
    for workload, name in places(wanted):
        print(row(workload, name, held_bytes(workload, name)), flush=True)


def places(wanted: list[str]) -> Iterator[tuple[str, str]]:
    workloads = {name: one for name, one in catalog.workloads().items() if isinstance(one.spec, NeuralSpec)}
    for workload in sorted(workloads.keys() & set(wanted) or workloads):
        names = set(workloads[workload].frameworks)
        yield from ((workload, name) for name in sorted(names & set(wanted) or names))


def held_bytes(workload: str, name: str) -> list[int]:
    """After each thousand steps."""
    environment = VirtualenvEnvironment(framework(name), framework(name).default_version)
    environment.prepare()
    variables = {**os.environ, **thread_variables(THREADS), "PYTHONPATH": str(paths.ROOT)}
    command = [str(environment.python), "-m", WORKER, workload, name, str(THREADS)]
    told = subprocess.run(
        command, env=variables, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    found: list[int] = json.loads(told.stdout.splitlines()[-1])
    return found


def row(workload: str, name: str, held: list[int]) -> str:
    settled, last = held[SETTLED - 1], held[-1]
    growth = last / settled - 1
    verdict = "" if growth < TARGET else " **grows**"
    return f"| {workload} | {name} | {settled / MB:.0f} MB | {last / MB:.0f} MB | {growth:+.1%}{verdict} |"


if __name__ == "__main__":
    main(sys.argv[1:])
