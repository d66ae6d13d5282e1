"""Small campaigns whose runs were profiled within their environments, as tests.campaigns builds them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from harness import store
from harness.exports.csv_text import as_text
from harness.profiling.function_files import (
    CALLS_FILE,
    FUNCTION_COLUMNS,
    FUNCTIONS_FILE,
    FunctionProfile,
    with_share,
)
from harness.profiling.operator_files import OPERATOR_COLUMNS, OPERATORS_FILE
from harness.records import Profiler, Purpose
from harness.store import Campaign, Run
from tests.campaigns import Recipe, build

BEFORE_NS = 100_000_000
FUNCTIONS = (
    ("suite/trainers/torch_trainer.py", 95, "train", 3, 3, 0.05, 10.0),
    ("torch/nn/modules/conv.py", 5, "forward", 88, 88, 0.05, 3.0),
    ("~", 0, "<built-in method torch.conv2d>", 88, 88, 2.9, 2.9),
    ("~", 0, "<method 'run_backward' of 'torch._C._EngineBase' objects>", 44, 44, 7.0, 7.0),
)
CALLS = ((0, 1, 88, 0.05, 3.0), (1, 2, 88, 2.9, 2.9), (0, 3, 44, 7.0, 7.0))
OPERATORS = {
    "torch": (
        ("aten::conv2d", "", 88, 3.0, None, 4e9),
        ("ConvolutionBackward0", "gradient", 88, 6.0, None, None),
        ("SGD.step", "optimiser", 44, 1.0, None, None),
    ),
    "jax": (
        ("convolution/dot_general", "", 88, 2.0, None, None),
        ("convolution/slice", "", 900, 1.0, None, None),
        ("convolution/dot_general", "gradient", 88, 7.0, None, None),
    ),
}


def build_within(
    folder: Path, recipe: Recipe, profiler: Profiler, names: Sequence[str] = (), recorded_s: float = 12.0
) -> Campaign:
    """Every run under this profiler; `names` are those of its functions or operators, where not the usual.

    So many seconds are recorded of operators, which is more than a run has unless it is less than 2.5, from 0.1 s after
    its beginning on, and three quarters of it have operators.
    """
    campaign = build(folder, recipe)
    record, changed = campaign.record, {"purpose": Purpose.PROFILE, "profiler": profiler}
    order = tuple(one.model_copy(update=changed) for one in record.order)
    store.write_record(folder / store.CAMPAIGN_FILE, record.model_copy(update={"order": order}))
    for run in campaign.runs:
        planned = run.record.planned.model_copy(update=changed)
        store.write_record(run.folder / store.RUN_FILE, run.record.model_copy(update={"planned": planned}))
        _leave(run, profiler, names, recorded_s)
    return store.load_campaign(folder)


def _leave(run: Run, profiler: Profiler, names: Sequence[str], recorded_s: float) -> None:
    if profiler == Profiler.OPERATORS:
        framework = run.record.planned.treatment.framework
        rows = _renamed(OPERATORS.get(framework, OPERATORS["torch"]), 0, names)
        of_all = recorded_s, f"{framework}.profiler", (run.record.go_ns or 0) + BEFORE_NS, 0.75 * recorded_s
        told = [(*row, *of_all) for row in rows]
        (run.folder / OPERATORS_FILE).write_text(as_text(pd.DataFrame(told, columns=OPERATOR_COLUMNS)))
        return
    frame = pd.DataFrame(_renamed(FUNCTIONS, 2, names), columns=FUNCTION_COLUMNS[:-1])
    found = FunctionProfile.of(with_share(frame, float(frame["own_s"].sum())), CALLS)
    (run.folder / FUNCTIONS_FILE).write_text(as_text(found.functions))
    (run.folder / CALLS_FILE).write_text(as_text(found.calls))


def _renamed(rows: Sequence[tuple[Any, ...]], column: int, names: Sequence[str]) -> list[tuple[Any, ...]]:
    """The first rows have these names."""
    given = [*names, *(row[column] for row in rows[len(names) :])]
    return [(*row[:column], name, *row[column + 1 :]) for row, name in zip(rows, given, strict=True)]
