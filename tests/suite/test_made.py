"""Batches are made in turn, a few ahead of who uses them, by another thread; what fails there is told here."""

import threading
import time

import pytest

from suite.trainers import made


@pytest.mark.parametrize("more", [0, 1, 2, 9])
def test_each_comes_in_its_turn(more):
    assert list(made(lambda rows: rows * 10, range(5), more)) == [0, 10, 20, 30, 40]
    assert list(made(lambda rows: rows, [], more)) == []


@pytest.mark.parametrize(("more", "here"), [(0, True), (2, False)])
def test_ahead_is_another_thread(more, here):
    names = set(made(lambda rows: threading.current_thread().name, range(3), more))
    assert (names == {threading.current_thread().name}) is here and len(names) == 1


def test_so_many_are_made_ahead_and_no_more():
    begun = []
    several = made(lambda rows: begun.append(rows) or rows, range(9), 2)
    assert next(several) == 0
    end_s = time.monotonic() + 10
    while len(begun) < 3 and time.monotonic() < end_s:
        time.sleep(0.01)
    time.sleep(0.1)
    assert begun == [0, 1, 2]


@pytest.mark.parametrize("more", [0, 2])
def test_what_fails_is_told_where_it_is_used(more):
    several = made(lambda rows: 1 // rows, [1, 0, 1], more)
    assert next(several) == 1
    with pytest.raises(ZeroDivisionError):
        next(several)
