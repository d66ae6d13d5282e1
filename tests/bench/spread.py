"""How far do sound runs of one seed part by rounding alone? The bounds of `Spread` rest on this.

python -m tests.bench.spread FOLDER SEEDS [WORKLOAD]...

Every framework of each workload trains and infers from the same seeds, as profile quick does; what is in FOLDER
already is not computed again. Prints tables in Markdown: the largest difference of any two frameworks over all seeds
by the steps taken, relative to the first epoch's loss, and how many seeds today's bounds would part (false alarms).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

from harness import catalog, paths
from harness.analysis.equal_work import Left, difference
from harness.datasets import prepared, source
from harness.environments.base import thread_variables
from harness.environments.frameworks import framework
from harness.environments.virtualenv import VirtualenvEnvironment

WORKER = "tests.bench.spread_worker"
THREADS = 2
Found = dict[str, dict[str, dict[str, Any]]]  # framework -> seed -> prints


def main(folder: Path, seeds: int, wanted: list[str]) -> None:
    print("| workload | seeds | steps: largest difference | answers of one state | seeds parted |")
    print("|---|---|---|---|---|")
    for name in wanted or catalog.workloads():
        found = {one: computed(folder, name, one, seeds) for one in catalog.workload(name).frameworks}
        print(row(name, found, seeds), flush=True)


def computed(folder: Path, workload: str, name: str, seeds: int) -> dict[str, dict[str, Any]]:
    one = catalog.workload(workload)
    profile, out = one.profile("quick"), folder / f"{workload}-{name}.json"
    states = folder / workload
    states.mkdir(parents=True, exist_ok=True)
    known: dict[str, dict[str, Any]] = json.loads(out.read_text()) if out.exists() else {}
    missing = [str(seed) for seed in range(seeds) if str(seed) not in known]
    if missing:
        dataset = profile.datasets[0]
        if not prepared.is_prepared(dataset):
            prepared.prepare(source(dataset), paths.data_home())
        environment = VirtualenvEnvironment(framework(name), framework(name).default_version)
        environment.prepare()
        new = out.with_suffix(".new")
        words = [
            new,
            workload,
            name,
            dataset,
            prepared.folder(dataset),
            THREADS,
            json.dumps(dict(profile.settings)),
        ]
        command = [environment.python, "-m", WORKER, *words, states, *missing]
        variables = {**os.environ, **thread_variables(THREADS), "PYTHONPATH": str(paths.ROOT)}
        subprocess.run(list(map(str, command)), env=variables, check=True, stderr=subprocess.DEVNULL)
        out.write_text(json.dumps(known | json.loads(new.read_text())))
        new.unlink()
    return {seed: one for seed, one in json.loads(out.read_text()).items() if int(seed) < seeds}


def row(workload: str, found: Found, seeds: int) -> str:
    profile, spec = catalog.workload(workload).profile("quick"), catalog.workload(workload).spec
    spread = spec.with_dataset(profile.datasets[0]).with_settings(profile.settings).spread
    by_steps: dict[int, float] = {}
    answers, parted = 0.0, 0
    for seed in map(str, range(seeds)):
        pairs = list(combinations((_left(name, found[name][seed]) for name in found), 2))
        parted += any(difference(one, other, spread) for one, other in pairs)
        for one, other in pairs:
            answers = max(answers, *_apart_in_passes(one, other))
            for steps, apart in _apart_in_epochs(one, other):
                by_steps[steps] = max(by_steps.get(steps, 0.0), apart)
    told = ", ".join(f"{steps}: {apart:.1e}" for steps, apart in sorted(by_steps.items()))
    return f"| {workload} | {seeds} | {told} | {answers:.1e} | {parted} |"


def _left(name: str, prints: dict[str, Any]) -> Left:
    return Left(name, name, {}, prints["epochs"], prints["passes"])


def _apart_in_epochs(one: Left, other: Left) -> Iterator[tuple[int, float]]:
    """(steps until then, difference) of first losses, epochs' losses and the answers after them."""
    scale, steps = abs(one.epochs[0].get("loss", 1.0)), 0
    for mine, theirs in zip(one.epochs, other.epochs, strict=True):
        firsts = zip(mine["first_losses"], theirs["first_losses"], strict=False)
        yield from ((steps + n, abs(a - b) / scale) for n, (a, b) in enumerate(firsts, 1))
        steps += mine["steps"]
        if "loss" in mine:
            yield steps, abs(mine["loss"] - theirs["loss"]) / scale
        yield from ((steps, apart) for apart in _apart(mine["answers"], theirs["answers"], scale))


def _apart_in_passes(one: Left, other: Left) -> Iterator[float]:
    for mine, theirs in zip(one.passes, other.passes, strict=True):
        yield from _apart(mine, theirs, 1.0)


def _apart(mine: dict[str, float], theirs: dict[str, float], scale: float) -> Iterator[float]:
    yield abs(mine["cross_entropy"] - theirs["cross_entropy"]) / max(scale, theirs["cross_entropy"])
    for name in ("norm", "sum"):
        yield abs(mine[name] - theirs[name]) / theirs["norm"]


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
