"""Negatives are never a user's own, none comes twice, and each unrated item is as likely as another."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.datasets import negatives
from harness.errors import DataError

Ratings = tuple[list[set[int]], int, int]


@st.composite
def ratings(draw: st.DrawFn) -> Ratings:
    """What each user has rated, of how many items, and how many negatives: up to all that is left."""
    items, count = draw(st.integers(2, 40)), draw(st.integers(1, 12))
    count = min(count, items - 1)
    some = st.sets(st.integers(0, items - 1), min_size=1, max_size=items - count)
    return draw(st.lists(some, min_size=1, max_size=12)), items, count


def drawn(rated: list[set[int]], items: int, count: int, seed: int = 0) -> np.ndarray:
    """The ratings of a user come in no order."""
    generator = np.random.RandomState(seed)
    user = np.repeat(np.arange(len(rated)), [len(one) for one in rated])
    item = np.concatenate([generator.permutation(sorted(one)) for one in rated])
    return negatives.draw(generator, user, item, items, count)


@settings(deadline=None)
@given(ratings(), st.integers(0, 9))
def test_none_is_rated_by_its_user_and_none_comes_twice(found: Ratings, seed: int) -> None:
    rated, items, count = found
    rows = drawn(rated, items, count, seed)
    assert rows.shape == (len(rated), count) and rows.dtype == np.int32
    for own, row in zip(rated, rows.tolist(), strict=True):
        assert len(set(row)) == count and not own & set(row) and set(row) <= set(range(items))


@given(ratings())
def test_the_seed_says_all(found: Ratings) -> None:
    assert np.array_equal(drawn(*found), drawn(*found))


def test_whoever_has_rated_all_but_as_many_gets_exactly_those() -> None:
    rows = drawn([set(range(100)) - {3, 50, 99}, {7}], 100, 3)
    assert set(rows[0]) == {3, 50, 99} and 7 not in rows[1]


def test_every_unrated_item_is_as_likely() -> None:
    users, items, count = 20_000, 8, 3
    rows = drawn([{0, 4, 7}] * users, items, count)
    share = np.bincount(rows.ravel(), minlength=items) / users
    assert share[[0, 4, 7]].tolist() == [0, 0, 0]
    assert np.allclose(share[[1, 2, 3, 5, 6]], count / 5, atol=0.02)


def test_users_that_do_not_fit_into_one_round_are_drawn_for_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(negatives, "USERS_AT_ONCE", 2)
    rated = [{user, 9} for user in range(7)]
    for own, row in zip(rated, drawn(rated, 10, 8).tolist(), strict=True):
        assert sorted(row) == sorted(set(range(10)) - own)


def test_a_user_who_has_rated_too_much_is_named() -> None:
    with pytest.raises(DataError, match="user number 1 leaves 2 items unrated, the test needs 3"):
        drawn([{0}, {0, 1, 2}], 5, 3)


def test_an_item_that_was_rated_twice_is_named() -> None:
    user, item = np.array([0, 1, 1, 1]), np.array([2, 4, 3, 4])
    with pytest.raises(DataError, match="user number 1 has rated item number 4 twice"):
        negatives.draw(np.random.RandomState(0), user, item, 9, 2)
