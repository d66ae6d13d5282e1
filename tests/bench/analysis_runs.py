"""How the statistics grow with the number of runs: values alone, of 10 000 to 1 000 000 runs, of one node or many.

python -m tests.bench.analysis_runs [RUNS]...

What a report concludes: costs, ratios, verdicts, tests, drift, descriptions, and of many nodes each one's own ratios.
The samples behind each run are another cost (tests.bench.analysis_scale). Each row is a process of its own; CPU and
memory are the whole process's, imports and the making of the values included. The target is held against CPU seconds,
which other work beside it does not stretch.
"""

from __future__ import annotations

import os
import sys
import time

import numpy as np
import pandas as pd

RUNS = (10_000, 100_000, 1_000_000)
NODES = (1, 100)
FACTORS = {"torch": 1.0, "tensorflow": 1.3, "keras": 1.01, "jax": 0.97, "sklearn": 0.8}
TARGET_S, TARGET_BYTES = 120.0, 4e9
TEXTS = {
    "campaign": "c", "purpose": "measure", "workload": "mnist_cnn", "version": "1.0", "stage": "train",
    "dataset": "digits", "device": "cpu", "settings": "{}", "mode": "eager", "isolation": "docker", "outcome": "ok",
    "profiler": "", "reason": "", "provenance": "measured", "energy_boundary": "cpu_package", "energy_reason": "",
    "quality_metric": "accuracy",
}  # fmt: skip


def frame(runs: int, nodes: int) -> pd.DataFrame:
    """RUN_COLUMNS of made-up runs: a block holds one of each framework, and each node has as many blocks."""
    from harness.analysis.tables import RUN_COLUMNS

    draw, blocks = np.random.default_rng(1), runs // len(FACTORS)
    block = np.repeat(np.arange(1, blocks + 1), len(FACTORS))
    seconds = 60 * np.tile(list(FACTORS.values()), blocks) * np.exp(draw.normal(0, 0.02, len(block)))
    joules = 40 * seconds * np.exp(draw.normal(0, 0.01, len(block)))
    values = {
        "run_id": np.char.add("r", np.arange(len(block)).astype(str)), "block": block, "repetition": block,
        "position": np.tile(np.arange(len(FACTORS)), blocks), "framework": np.tile(list(FACTORS), blocks),
        "duration_s": seconds, "energy_j": joules, "energy_uncertainty_j": joules / 1000, "energy_resolution_j": 1e-4,
        "mean_power_w": joules / seconds, "idle_power_w": 10.0, "energy_net_j": joules - 10 * seconds,
        "stage_duration_s": 0.8 * seconds, "stage_energy_j": 0.8 * joules, "stage_energy_uncertainty_j": joules / 1000,
        "cpu_s": 0.9 * seconds, "memory_peak_bytes": 5e8 * np.exp(draw.normal(0, 0.001, len(block))), "quality": 0.9,
        "samples": 1437.0, "steps": 33.0, "parameters": 2e5, "flops_per_step": 2e9, "data_bytes": 1e6, "epochs": 3.0,
    }  # fmt: skip
    found = pd.DataFrame({**TEXTS, **values})[RUN_COLUMNS]
    node = (block - 1) * nodes // blocks + 1
    return found if nodes == 1 else found.assign(session=node, node=node)


def analysed(runs: int, nodes: int) -> None:
    """Everything that is concluded from values alone; in the way of harness.analysis.summary."""
    from harness.analysis import campaign_findings
    from harness.analysis.costs import costs
    from harness.analysis.description import descriptions
    from harness.analysis.groups import GROUP, TREATMENT, Group
    from harness.analysis.heterogeneity import apart
    from harness.analysis.quantities import recorded, with_rates
    from harness.analysis.reference import find
    from harness.analysis.statistics import statistics
    from harness.analysis.summary import labelled
    from harness.analysis.tables import measured

    raw = frame(runs, nodes)
    raw = raw.assign(**{one.name: np.nan for one in recorded() if one.name not in raw})
    counted = measured(with_rates(labelled(raw)))
    names = tuple(f"{name} 1.0" for name in FACTORS)
    groups = (Group("mnist_cnn", "digits", "train", "cpu", "{}", names),)
    found = costs(counted, groups, find(None, names))
    assert len(statistics(counted, found, groups)) and campaign_findings.drifting(counted) is not None
    assert len(descriptions(counted, [*GROUP, TREATMENT], [one.name for one in recorded()]))
    assert apart(counted, found, groups).own["number"].nunique() == (nodes if nodes > 1 else 0)


def cost(code: str) -> tuple[float, float, float]:
    """Of a process of its own: wall seconds, CPU seconds, and peak bytes."""
    began = time.monotonic()
    pid = os.posix_spawn(sys.executable, [sys.executable, "-W", "ignore", "-c", code], os.environ)
    _, status, usage = os.wait4(pid, 0)
    assert status == 0, f"exit status {status}"
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024.0


def main(several: tuple[int, ...]) -> None:
    print("| runs | nodes | wall | CPU | peak memory | target met |\n|---:|---:|---:|---:|---:|---|")
    for runs in several:
        for nodes in NODES:
            code = f"from tests.bench.analysis_runs import analysed; analysed({runs}, {nodes})"
            wall_s, cpu_s, peak = cost(code)
            met = "yes" if cpu_s < TARGET_S and peak < TARGET_BYTES else "no"
            print(
                f"| {runs:,} | {nodes} | {wall_s:.0f} s | {cpu_s:.0f} s | {peak / 1e9:.2f} GB | {met} |",
                flush=True,
            )


if __name__ == "__main__":
    main(tuple(map(int, sys.argv[1:])) or RUNS)
