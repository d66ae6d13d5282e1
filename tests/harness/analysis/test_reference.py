"""Against whom treatments are held: the user's choice, the oldest version of one framework, else the lowest mean."""

from __future__ import annotations

import pytest

from harness.analysis.reference import CHOSEN, LOWEST, OLDEST, Reference, find
from harness.errors import UsageError

TWO = ("jax 0.10.2", "jax 0.9.2")  # older by number, though not by letter


@pytest.mark.parametrize(
    ("wanted", "names", "found"),
    [
        (None, TWO, Reference("jax 0.9.2", OLDEST)),
        (None, (*TWO, "torch 2.13.0"), Reference(None, LOWEST)),
        (None, TWO[:1], Reference(None, LOWEST)),
        (None, (), Reference(None, LOWEST)),
        (None, ("jax 0.9.2", "jax nightly"), Reference("jax nightly", OLDEST)),
        ("jax 0.10.2", TWO, Reference("jax 0.10.2", CHOSEN)),
        ("jax@0.10.2", TWO, Reference("jax 0.10.2", CHOSEN)),
        ("torch", (*TWO, "torch 2.13.0"), Reference("torch 2.13.0", CHOSEN)),
    ],
)
def test_the_reference_of_a_campaign(wanted: str | None, names: tuple[str, ...], found: Reference) -> None:
    assert find(wanted, names, names) == found


def test_a_version_of_which_no_run_counts_is_no_reference() -> None:
    three = (*TWO, "jax 0.8.0")
    assert find(None, three, TWO) == Reference("jax 0.9.2", OLDEST)
    assert find(None, three, ()) == Reference(None, LOWEST)


def test_a_framework_that_is_there_in_several_versions_is_named_with_one() -> None:
    with pytest.raises(UsageError, match=r"fits jax 0\.10\.2 and jax 0\.9\.2; name the version too"):
        find("jax", TWO, TWO)
