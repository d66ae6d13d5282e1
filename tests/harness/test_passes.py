"""`make test` runs every test in one of its passes, and in no second one."""

from __future__ import annotations

import re
from itertools import permutations, product

import pytest

from harness import paths
from tests.conftest import ALONE, LONGEST, PATIENT, TESTS, UNDISTURBED
from tests.rotation import rotating

MARKS = ("alone", "patient", "undisturbed", "slow", "gpu")
PLACES = (ALONE, PATIENT, UNDISTURBED)
PASSES = re.findall(r'-m "([^"]*)" \$\(TESTS\)', (paths.ROOT / "Makefile").read_text())


@pytest.mark.parametrize(
    "marked", [one for one in product((False, True), repeat=len(MARKS)) if sum(one[:3]) <= 1]
)
def test_what_is_neither_slow_nor_of_a_gpu_runs_once(marked: tuple[bool, ...]) -> None:
    marks = dict(zip(MARKS, marked, strict=True))
    taken = [expression for expression in PASSES if eval(expression, {}, marks)]
    assert len(taken) == (0 if marks["slow"] or marks["gpu"] else 1)


def test_no_place_is_in_two_passes_and_each_is_there() -> None:
    assert not any(
        (TESTS / one).is_relative_to(TESTS / other)
        for first, second in permutations(PLACES, 2)
        for one, other in product(first, second)
    )
    assert [one for one in (*sum(PLACES, ()), *LONGEST) if not (TESTS / one).exists()] == []


def test_a_share_is_of_so_many_and_the_same_for_every_worker() -> None:
    names = [f"name {number}" for number in range(34)]
    for count in (1, 3, len(names)):
        share = rotating(names, count)
        assert len(set(share)) == count and set(share) <= set(names)
        assert rotating(reversed(names), count) == share
