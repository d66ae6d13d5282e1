"""A block's way home: whole or not at all, once whoever brings it, and handed out again where that was broken off."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

import pytest

from harness import store
from harness.cluster import collecting, disk, nodes
from harness.cluster.places import Places
from harness.cluster.records import BlockRecord
from tests import campaigns
from tests.campaigns import Recipe

RECIPE = Recipe(blocks=2)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """Of a campaign that has begun, and has no run."""
    planned = campaigns.campaign_record(RECIPE, campaigns.np.random.default_rng(1))
    store.create_campaign(tmp_path / "whole", planned)
    found = Places(tmp_path / "whole")
    found.make()
    return found


def of_block(place: Path, number: int) -> Path:
    """What a node has when it has carried out one block."""
    built = campaigns.build(place, RECIPE)
    for run in built.runs:
        if run.record.planned.block != number:
            shutil.rmtree(run.folder)
    return place


def by(number: int, job_id: str = "1", node: str = "n1") -> BlockRecord:
    return BlockRecord(block=number, job_id=job_id, node=node, booted_s=0.0, begin_ns=0, end_ns=1)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(one.relative_to(folder)): one.read_bytes() for one in sorted(folder.rglob("*")) if one.is_file()
    }


def test_a_block_is_home_byte_for_byte(places: Places, tmp_path: Path) -> None:
    done = of_block(tmp_path / "done", 1)
    before = contents(done / store.RUNS)
    assert collecting.collect(done, by(1), places)
    collecting.hand_out(places, places.of_block(1))
    assert contents(places.campaign / store.RUNS) == before


def test_whoever_brings_it_again_changes_nothing(places: Places, tmp_path: Path) -> None:
    assert collecting.collect(of_block(tmp_path / "a", 1), by(1), places)
    before = contents(places.blocks)
    assert not collecting.collect(of_block(tmp_path / "b", 1), by(1, "2", "n2"), places)
    collecting.hand_out(places, places.of_block(1))
    assert not collecting.collect(of_block(tmp_path / "c", 1), by(1, "3", "n2"), places)
    assert before.keys() >= contents(places.blocks).keys()
    assert [one.by.node for one in disk.blocks(places)] == ["n1"]
    assert list(places.incoming.iterdir()) == []


def test_a_full_disk_leaves_nothing_of_it(
    places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = of_block(tmp_path / "done", 1)

    def full(path: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(collecting, "_onto_the_disk", full)
        with pytest.raises(OSError, match="No space"):
            collecting.collect(done, by(1), places)
    assert disk.blocks(places) == []
    assert list(places.incoming.iterdir()) == []
    assert collecting.collect(done, by(1), places)


def test_handing_out_goes_on_where_it_was_broken_off(places: Places, tmp_path: Path) -> None:
    collecting.collect(of_block(tmp_path / "done", 1), by(1), places)
    first = min((places.of_block(1) / store.RUNS).iterdir())
    first.rename(places.campaign / store.RUNS / first.name)
    for _ in range(2):
        collecting.hand_out(places, places.of_block(1))
    read = store.load_campaign(places.campaign)
    assert {run.record.planned.block for run in read.runs} == {1}
    assert len(read.runs) == len(RECIPE.frameworks)


def test_warm_up_runs_stay_with_their_block(places: Places, tmp_path: Path) -> None:
    done = of_block(tmp_path / "done", 1)
    run = min((done / store.RUNS).iterdir())
    record = store.stored_record(run)
    planned = record.planned.model_copy(update={"purpose": "warm-up"})
    store.write_record(run / store.RUN_FILE, record.model_copy(update={"planned": planned}))
    collecting.collect(done, by(1), places)
    collecting.hand_out(places, places.of_block(1))
    assert not (places.campaign / store.RUNS / run.name).exists()
    assert (places.of_block(1) / store.RUNS / run.name).is_dir()


def test_what_was_measured_of_a_broken_block_is_kept_aside(places: Places, tmp_path: Path) -> None:
    done = of_block(tmp_path / "done", 1)
    collecting.set_aside(done, places, "block-1-job-7")
    assert contents(places.campaign / store.ASIDE / "block-1-job-7-1") == contents(done / store.RUNS)
    assert store.load_campaign(places.campaign).runs == ()


def test_runs_of_two_nodes_are_read_with_their_node(places: Places, tmp_path: Path) -> None:
    for number in (1, 2):
        collecting.collect(of_block(tmp_path / str(number), number), by(number, node=f"n{number}"), places)
    found = nodes.record_of(store.load_campaign(places.campaign).record, disk.blocks(places))
    store.write_record(places.campaign / store.CAMPAIGN_FILE, found)
    for number in (1, 2):
        collecting.hand_out(places, places.of_block(number))
    read = store.load_campaign(places.campaign)
    assert {(run.record.planned.block, run.source) for run in read.runs} == {(1, 1), (2, 2)}
    assert sorted(run.record.planned.run_id for run in read.runs) == sorted(one.run_id for one in read.order)


def test_of_two_nodes_that_begin_at_once_one_is_the_reference(places: Places) -> None:
    one = store.load_campaign(places.campaign).record
    other = one.model_copy(update={"machine": {"cpu_model": "another"}})
    assert disk.reference(places, one) == one
    assert disk.reference(places, other) == one
    assert sorted(path.name for path in places.folder.glob("*.json")) == ["reference.json"]
