"""Do frameworks differ in accuracy by more than seeds do? Every framework trains a workload from the same seeds.

python -m tests.bench.accuracy_spread SEEDS WORKLOAD DATASET

The data set must be prepared. Prints a table in Markdown: accuracies by seed, the range of the frameworks' means, the
range of the seeds' means and those within a framework, and Friedman's test of the frameworks, whose blocks are seeds.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd
from scipy import stats

from harness import store
from harness.analysis.tables import measured, tables

# Nothing is measured but accuracy, so nothing waits.
PLAN = """
repetitions = 1
sample_period_s = 1.0
baseline_s = 0.0
run_timeout_s = 7200.0
expected_run_s = 60.0

[factors]
workload = ["{workload}"]
framework = ["torch", "tensorflow", "keras", "jax"]
stage = ["train"]
dataset = ["{dataset}"]

[power_model]
idle_w = 10.0
busy_cpu_w = 8.0
"""


def main(seeds: str, workload: str, dataset: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder) / "accuracy.toml"
        plan.write_text(PLAN.format(workload=workload, dataset=dataset))
        found = {seed: accuracies(plan, seed) for seed in range(int(seeds))}
    print(report(f"{workload}, {dataset}", pd.DataFrame(found).T), flush=True)


def accuracies(plan: Path, seed: int) -> pd.Series:
    """Framework -> accuracy on the test set after the last epoch."""
    out = plan.with_name(str(seed))
    words = ["run", "--all", "--profile", plan, "--seed", seed, "--environment", "virtualenv", "-o", out]
    command = [sys.executable, "-m", "harness.cli", *map(str, words)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return measured(tables(store.load_campaign(out)).runs).set_index("framework")["quality"]


def report(title: str, found: pd.DataFrame) -> str:
    """Rows are seeds, columns frameworks."""
    _, p = stats.friedmanchisquare(*(found[name] for name in found))
    lines = [f"| {title} | {' | '.join(found)} |", "|---" * (found.shape[1] + 1) + "|"]
    for seed, row in found.iterrows():
        lines.append(f"| seed {seed} | {' | '.join(f'{value:.4f}' for value in row)} |")
    lines.append(f"| mean | {' | '.join(f'{value:.4f}' for value in found.mean())} |")
    spread = f"frameworks {_range(found.mean()):.4f}, seeds {_range(found.mean(axis=1)):.4f}"
    within = ", ".join(f"{_range(found[name]):.4f}" for name in found)
    return "\n".join([*lines, "", f"Ranges: {spread}, seeds in one framework {within}; Friedman p = {p:.2f}"])


def _range(values: pd.Series) -> float:
    return float(values.max() - values.min())


if __name__ == "__main__":
    main(*sys.argv[1:])
