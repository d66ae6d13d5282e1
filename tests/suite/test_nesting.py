"""Own times on one thread add up to what its outermost spans took, and no moment of any threads is counted twice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suite.profilers.nesting import Span, covered_ns, own_ns

LEAVES = st.lists(st.integers(0, 50), max_size=4)
TREES = st.recursive(st.integers(0, 50), lambda one: st.lists(one, max_size=4), max_leaves=30)


def laid(tree, begin=0):
    """(spans with their own times, end) of a tree whose leaves are own times."""
    if isinstance(tree, int):
        return [(Span(begin, begin + tree), tree)], begin + tree
    found, at = [], begin + 1  # each takes 1 before, and 2 after what is within
    for one in tree:
        spans, at = laid(one, at)
        found += spans
    return [(Span(begin, at + 2), 3), *found], at + 2


@given(TREES, st.randoms())
def test_each_has_its_time_without_what_is_within(tree, random):
    spans, _ = laid(tree)
    random.shuffle(spans)
    assert sorted(own_ns(spans)) == sorted((own, own) for _, own in spans)


def test_spans_side_by_side_have_all_of_theirs():
    spans = [(Span(0, 5), "a"), (Span(5, 7), "b"), (Span(20, 21), "c")]
    assert dict(own_ns(spans)) == {"a": 5, "b": 2, "c": 1}


def test_what_outlasts_what_it_began_in_takes_from_it_no_more_than_there_is():
    assert dict(own_ns([(Span(0, 10), "outer"), (Span(8, 15), "late")])) == {"outer": 8, "late": 7}


def test_nothing_has_no_time():
    assert list(own_ns([])) == []
    assert dict(own_ns([(Span(3, 3), "a")])) == {"a": pytest.approx(0)}


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)), max_size=12), st.randoms())
def test_each_moment_of_any_thread_is_covered_once(pairs, random):
    spans = [Span(begin, begin + length) for begin, length in pairs]
    moments = {moment for begin, length in pairs for moment in range(begin, begin + length)}
    random.shuffle(spans)
    assert covered_ns(spans) == len(moments)
