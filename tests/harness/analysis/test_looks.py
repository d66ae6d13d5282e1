"""An adaptive campaign looks after each block, and reads each run once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness import store
from harness.analysis import adaptive, looks, tables
from harness.records import PlannedRun
from harness.store import Run
from tests.campaigns import Recipe, build

BLOCKS = 4


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A campaign with a rule to stop by, whose runs come one block after the other."""
    made = build(
        tmp_path / "c", Recipe(frameworks={"torch": 1.0, "tensorflow": 1.03}, blocks=BLOCKS, noise=0.02)
    )
    rule = adaptive.declare(made.record.plan.treatments, 0.001, 30)
    path = made.folder / store.CAMPAIGN_FILE
    record = json.loads(path.read_text())
    record["plan"]["until"] = rule.model_dump(mode="json")
    path.write_text(json.dumps(record))
    return made.folder


def hide(folder: Path, order: tuple[PlannedRun, ...], blocks: int) -> None:
    """What is not measured yet lies elsewhere."""
    apart = folder.parent / "apart"
    apart.mkdir(exist_ok=True)
    for one in order:
        here, there = (place / one.run_id for place in (folder / store.RUNS, apart))
        if one.block > blocks and here.exists():
            here.rename(there)
        if one.block <= blocks and there.exists():
            there.rename(here)


def test_a_look_reads_the_runs_of_its_own_block_and_answers_as_if_it_had_read_all(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def counted(run: Run, idle_w: float | None, parts: tuple[str, ...]) -> tables.RunRows:
        read.append(run.folder.name)
        return rows_of(run, idle_w, parts)

    rows_of = tables.rows_of
    order, under_way = store.load_campaign(folder).record.order, looks.Looks(folder)
    for blocks in (3, BLOCKS):
        hide(folder, order, blocks)
        whole = store.load_campaign(folder)
        expected = adaptive.stop(whole, tables.tables(whole), blocks)
        monkeypatch.setattr(tables, "rows_of", counted)
        assert under_way.stop(blocks) == expected
        monkeypatch.setattr(tables, "rows_of", rows_of)
    assert sorted(read) == sorted(one.run_id for one in order)
