"""Which blocks are submitted next: the common beginning first, then as many as there are nodes, none twice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harness.cluster import work
from harness.cluster.records import Ending, JobRecord
from harness.cluster.work import Work

BLOCKS = st.sets(st.integers(0, 12))


def of(blocks: set[int], done: set[int], given_up: set[int], live: set[int]) -> Work:
    return Work(tuple(sorted(blocks)), frozenset(done), frozenset(given_up), frozenset(live))


@given(BLOCKS, BLOCKS, BLOCKS, BLOCKS, st.integers(1, 20))
def test_what_is_submitted_is_neither_done_nor_given_up_nor_under_way(
    blocks: set[int], done: set[int], given_up: set[int], live: set[int], nodes: int
) -> None:
    found = of(blocks, done, given_up, live).next_ones(nodes)
    assert set(found) <= blocks - done - given_up - live
    assert len(found) == len(set(found))
    assert len(found) + len(live) <= max(nodes, len(live))


@given(BLOCKS, st.integers(1, 20))
def test_every_block_is_submitted_in_the_end(blocks: set[int], nodes: int) -> None:
    done: set[int] = set()
    while found := of(blocks, done, set(), set()).next_ones(nodes):
        done |= set(found)
    assert done == blocks
    assert of(blocks, done, set(), set()).is_over


def test_what_others_begin_with_is_done_before_them_and_alone() -> None:
    assert of({0, 1, 2}, set(), set(), set()).next_ones(8) == [0]
    assert of({0, 1, 2}, set(), set(), {0}).next_ones(8) == []
    assert of({0, 1, 2}, {0}, set(), set()).next_ones(8) == [1, 2]


def test_where_it_cannot_be_had_nothing_is_left_to_do() -> None:
    assert of({0, 1, 2}, set(), {0}, set()).is_over


def test_a_block_s_last_job_tells_of_it() -> None:
    jobs = [
        JobRecord(job_id=str(n), block=1, submitted="", ending=one)
        for n, one in enumerate((Ending.FAILED, None))
    ]
    assert work.latest(jobs)[1].ending is None
    assert [one.job_id for one in work.under_way(jobs)] == ["1"]
