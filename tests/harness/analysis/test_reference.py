"""Against whom treatments are held: the user's choice, the oldest version of one framework, else the plan's first."""

from __future__ import annotations

import pytest

from harness.analysis.groups import Group
from harness.analysis.reference import CHOSEN, FIRST, OLDEST, Reference, find
from harness.errors import UsageError

TWO = ("jax 0.10.2", "jax 0.9.2")  # older by number, though not by letter


@pytest.mark.parametrize(
    ("wanted", "names", "found"),
    [
        (None, TWO, Reference("jax 0.9.2", OLDEST)),
        (None, (*TWO, "torch 2.13.0"), Reference("jax 0.10.2", FIRST)),
        (None, TWO[:1], Reference("jax 0.10.2", FIRST)),
        (None, (), Reference("", FIRST)),
        (None, ("jax 0.9.2", "jax nightly"), Reference("jax nightly", OLDEST)),
        ("jax 0.10.2", TWO, Reference("jax 0.10.2", CHOSEN)),
        ("jax@0.10.2", TWO, Reference("jax 0.10.2", CHOSEN)),
        ("torch", (*TWO, "torch 2.13.0"), Reference("torch 2.13.0", CHOSEN)),
    ],
)
def test_the_reference_of_a_campaign(wanted: str | None, names: tuple[str, ...], found: Reference) -> None:
    assert find(wanted, names) == found


def test_work_that_lacks_the_reference_is_held_against_its_own_first() -> None:
    group = Group("svm", "digits", "train", "cpu", "{}", ("sklearn 1.9.0", "sklearn 1.8.0"))
    assert Reference("torch 2.13.0", CHOSEN).of(group) == "sklearn 1.9.0"
    assert Reference("sklearn 1.8.0", FIRST).of(group) == "sklearn 1.8.0"


def test_a_framework_that_is_there_in_several_versions_is_named_with_one() -> None:
    with pytest.raises(UsageError, match=r"fits jax 0\.10\.2 and jax 0\.9\.2; name the version too"):
        find("jax", TWO)
