"""A campaign of very many runs without their files: a small one's, over and over, with values of their own.

Everything is as of a campaign that was read, but for the reading of each run's samples, which is another cost
(tests.bench.analysis_scale).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd

from harness.analysis import summary, tables
from harness.analysis.tables import Tables
from harness.store import Campaign, Run
from tests.campaigns import Recipe, build

FRAMEWORKS = {"torch": 1.0, "tensorflow": 1.3, "keras": 1.01, "jax": 0.97, "sklearn": 0.8}
SEED_BLOCKS = 2
SMALL = Recipe(frameworks=FRAMEWORKS, blocks=SEED_BLOCKS, stages=("train", "infer"), noise=0.03, seconds=20.0)
SPREAD = ["duration_s", "energy_j", "stage_duration_s", "stage_energy_j", "cpu_s", "memory_peak_bytes"]
EACH_RUN_LATER_NS = 10**12


@contextmanager
def many_runs(folder: Path, runs: int, recipe: Recipe = SMALL) -> Iterator[Campaign]:
    """A campaign of about so many, of a recipe of SEED_BLOCKS blocks; while it lasts, its tables are these."""
    small = build(folder / "c", recipe)
    own, copies = tables.tables(small), -(-runs // len(small.runs))
    made = replace(small, runs=tuple(_again(run, copy) for copy in range(copies) for run in small.runs))
    draw = np.random.default_rng(1)
    many = Tables(*(_tiled(frame, copies, draw) for frame in (own.runs, own.phases, own.epochs)))
    with patch.object(summary, "tables", lambda _: many):
        yield made


def _again(run: Run, copy: int) -> Run:
    planned = run.record.planned
    block = planned.block + SEED_BLOCKS * copy
    moved = planned.model_copy(
        update={"run_id": _named(planned.run_id, copy), "block": block, "repetition": block}
    )
    later = {"planned": moved, "start_ns": run.record.start_ns + EACH_RUN_LATER_NS * copy}
    return replace(run, record=run.record.model_copy(update=later))


def _named(run_id: str, copy: int) -> str:
    return f"{copy:05d}-{run_id}"


def _tiled(frame: pd.DataFrame, copies: int, draw: np.random.Generator) -> pd.DataFrame:
    """The rows over and over, each copy with a run, blocks and values of its own."""
    many = pd.concat([frame] * copies, ignore_index=True)
    copy = np.repeat(np.arange(copies), len(frame))
    many["run_id"] = [_named(name, each) for name, each in zip(many["run_id"], copy, strict=True)]
    for name in ("block", "repetition"):
        if name in many:
            many[name] = many[name] + SEED_BLOCKS * copy
    for name in set(SPREAD) & set(many.columns):
        many[name] = many[name] * np.exp(draw.normal(0, 0.02, len(many)))
    return many
