"""Small campaigns whose runs were profiled: as tests.campaigns builds them, with what was seen on each run's stack."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from harness import store
from harness.profiling import stacks_file
from harness.profiling.trace import SeenStacks
from harness.records import Purpose
from harness.store import Campaign, Run
from tests.campaigns import Recipe, build

LOOK_NS = 5_000_000
Stacks = Callable[[Run], Sequence[str]]


def a_few(run: Run) -> list[str]:
    """Three functions by turns of a tenth of a second, beside a seldom one; the framework's own is of its name."""
    framework = run.record.planned.treatment.framework
    main, step = "<module> (suite/run.py)", f"step (suite/trainers/{framework}_trainer.py)"
    own = [f"{main};{step};relu ({framework}/nn/functional.py)"] * 20
    shared = [f"{main};{step}", f"{main};find (<frozen importlib._bootstrap>);load (numpy/core.py)"] * 10
    return [*own, *shared, *own, f"{main};{step};item (numpy/core.py)"]


def build_profiled(
    folder: Path, recipe: Recipe, stacks: Stacks = a_few, measured: Sequence[int] = ()
) -> Campaign:
    """`stacks` of a run are seen over and over, 200 times a second. Blocks that are `measured` are not profiled."""
    campaign = build(folder, recipe)
    for run in campaign.runs:
        if run.record.planned.block not in measured:
            _profile(run, stacks(run))
    record = campaign.record
    order = tuple(
        one if one.block in measured else one.model_copy(update={"purpose": Purpose.PROFILE})
        for one in record.order
    )
    store.write_record(folder / store.CAMPAIGN_FILE, record.model_copy(update={"order": order}))
    return store.load_campaign(folder)


def _profile(run: Run, stacks: Sequence[str]) -> None:
    planned = run.record.planned.model_copy(update={"purpose": Purpose.PROFILE})
    store.write_record(run.folder / store.RUN_FILE, run.record.model_copy(update={"planned": planned}))
    begin, end = run.record.go_ns, run.record.done_ns
    if begin is not None and end is not None:
        times = range(begin + LOOK_NS // 2, end, LOOK_NS)
        seen = [stacks[number % len(stacks)] for number in range(len(times))]
        stacks_file.write(run.folder, SeenStacks(list(times), seen))
