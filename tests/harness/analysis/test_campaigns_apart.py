"""Profiled runs of two campaigns: each against its like, of the same work alone, and what is unlike is refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from harness.analysis import campaigns_apart
from harness.analysis.campaigns_apart import HERE, THERE
from harness.analysis.profile_pairs import ProfiledPair
from harness.analysis.profiled import Profiles
from harness.errors import UsageError
from harness.profiling.stacks_file import STACKS_FILE
from harness.records import Profiler
from harness.store import Campaign
from tests.campaigns import Recipe, build
from tests.profiled import build_profiled
from tests.profiled_within import build_within

BEFORE, AFTER = {"torch@2.12.0": 1.0}, {"torch": 1.5}


def made(folder: Path, frameworks: dict[str, float], **other: Any) -> Campaign:
    return build_profiled(folder, Recipe(**{"frameworks": frameworks, "blocks": 1, **other}))


def apart(new: Campaign, old: Campaign) -> Sequence[ProfiledPair]:
    return campaigns_apart.apart(Profiles(new), Profiles(old))


def names(pairs: Any) -> list[tuple[str, str]]:
    return [one.names for one in pairs]


def test_a_version_is_held_against_the_one_before(tmp_path: Path) -> None:
    new, old = made(tmp_path / "new", AFTER), made(tmp_path / "old", BEFORE)
    (pair,) = apart(new, old)
    assert pair.names == (f"torch 2.12.0 ({THERE})", f"torch 2.13.0 ({HERE})")
    assert pair.costs is not None
    one, other = pair.costs
    assert other.energy_j == pytest.approx(1.5 * one.energy_j, rel=0.1)
    told = pair.rows["difference_j"].sum()
    assert told == pytest.approx(other.rows["joules"].sum() - one.rows["joules"].sum(), rel=1e-6)
    assert pair.rows["difference_j"].abs().is_monotonic_decreasing


def test_a_campaign_against_itself_has_no_difference(tmp_path: Path) -> None:
    one = made(tmp_path / "c", AFTER)
    (pair,) = apart(one, one)
    assert pair.rows["difference_j"].abs().max() == 0.0 and pair.names[0] != pair.names[1]


def test_of_several_versions_the_same_one_counts_and_else_none(tmp_path: Path) -> None:
    both, one = made(tmp_path / "both", {**BEFORE, **AFTER}), made(tmp_path / "one", AFTER)
    assert names(apart(one, both)) == [(f"torch 2.13.0 ({THERE})", f"torch 2.13.0 ({HERE})")]
    newest = made(tmp_path / "newest", {"torch@2.14.0": 1.0, "jax": 1.0})
    with pytest.raises(UsageError, match="different work"):
        apart(newest, both)


def test_modes_stay_apart(tmp_path: Path) -> None:
    modes = ({"mode": "eager"}, {"mode": "compile"})
    new, old = (made(tmp_path / name, AFTER, settings=modes, epochs=1) for name in ("new", "old"))
    assert [
        (a.partition(", mode ")[2][:5], b.partition(", mode ")[2][:5]) for a, b in names(apart(new, old))
    ] == [
        ("eager", "eager"),
        ("compi", "compi"),
    ]


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"workload": "mnist_mlp"}, "profiled at different work"),
        ({"stages": ("infer",)}, "profiled at different work"),
        ({"settings": ({"batch_size": 7},)}, "profiled at different work"),
        ({"frameworks": {"jax": 1.0}}, "profiled at different work"),
        ({"data_sha256": "0a" * 32}, "other data by the same name: digits"),
    ],
)
def test_what_is_unlike_is_refused(tmp_path: Path, other: dict[str, Any], why: str) -> None:
    new = made(tmp_path / "new", AFTER)
    with pytest.raises(UsageError, match=why):
        apart(new, made(tmp_path / "old", **{"frameworks": BEFORE, **other}))


def test_where_nobody_looked_it_says_who_would(tmp_path: Path) -> None:
    looked_at = made(tmp_path / "new", AFTER)
    recipe = Recipe(frameworks=AFTER, blocks=1)
    for other in (
        build(tmp_path / "measured", recipe),
        build_within(tmp_path / "c", recipe, Profiler.CPROFILE),
    ):
        with pytest.raises(
            UsageError, match=f"no run of {other.folder.name} tells .*suite profile looks at them"
        ):
            apart(looked_at, other)
    (looked_at.runs[0].folder / STACKS_FILE).unlink()
    with pytest.raises(UsageError, match=r"no run of new tells its functions by joules; .* has no stacks"):
        apart(looked_at, made(tmp_path / "old", AFTER))


def test_joules_of_several_kinds_are_never_held_against_each_other(tmp_path: Path) -> None:
    pair: ProfiledPair
    (pair,) = apart(made(tmp_path / "new", AFTER), made(tmp_path / "old", BEFORE, meter="estimate"))
    assert pair.costs is None and pair.reason == "estimated and measured energy are never compared"
