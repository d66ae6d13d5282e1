"""Tables of many campaigns in one place, asked by a program that is not ours."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from harness import merging, store
from harness.analysis.summary import analyse
from harness.analysis.tables import tables
from harness.exports.frames import frames
from harness.exports.partitioned import name_of, partitioned
from harness.store import Campaign
from tests.campaigns import Recipe, build
from tests.harness.merging.nodes import node


def into(place: Path, *campaigns: Campaign) -> None:
    for one in campaigns:
        for name, content in partitioned(frames(one, analyse(one)), one.record).items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(content)


def rows(place: Path, table: str, query: str) -> list[Any]:
    told = str(place).replace("'", "''")
    files = f"read_parquet('{told}/{table}/**/*.parquet', hive_partitioning = true, union_by_name = true)"
    return duckdb.sql(query.format(files)).fetchall()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "data set's" / "place"


def test_campaigns_of_many_places_are_one_table(tmp_path: Path, place: Path) -> None:
    """With one quantity in one alone, and one column that is empty throughout."""
    several = [
        build(tmp_path / "a" / "study", Recipe(blocks=2)),
        build(tmp_path / "b" / "study", Recipe(blocks=3, meter=None, seed=9)),
    ]
    into(place, *several)
    found = dict(rows(place, "runs", "select campaign, count(*) from {} group by all"))
    assert found == {name_of(one.record): len(one.runs) for one in several}
    (joules,) = rows(place, "runs", "select exp(avg(ln(energy_j))) from {} where energy_j is not null")[0]
    ours = tables(several[0]).runs["energy_j"].dropna()
    assert joules == pytest.approx(np.exp(np.log(ours.astype(float)).mean()), rel=1e-12)


def test_campaigns_of_one_name_have_a_place_each_and_the_same_campaign_its_own_again(
    tmp_path: Path, place: Path
) -> None:
    one, other = (build(tmp_path / name / "study", Recipe(blocks=1)) for name in "ab")
    machine = {**other.record.machine, "hostname": "another"}
    other = replace(other, record=other.record.model_copy(update={"machine": machine}))
    into(place, one, other, one)
    assert len(list((place / "runs").iterdir())) == 2


def test_a_merged_campaign_has_a_part_for_each_node(tmp_path: Path, place: Path) -> None:
    recipe = Recipe(blocks=1)
    folders = [node(tmp_path / str(number), number, recipe) for number in (1, 2, 3)]
    whole = store.load_campaign(merging.merge(folders, tmp_path / "all"))
    into(place, whole)
    for table in ("runs", "phases"):
        assert rows(place, table, "select distinct node from {} order by node") == [(1,), (2,), (3,)]
    assert rows(place, "runs", "select count(*) from {} where node = 2") == [(len(whole.runs) // 3,)]
    assert rows(place, "costs", "select count(*) from {}") == [(len(analyse(whole).costs),)]
