"""Campaigns with runs under the profiler are merged as what they measured; their profiles stay with each of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness import merging, store
from harness.errors import UsageError
from tests.harness.merging.nodes import PLAN, node, sums


def campaigns(place: Path, *profile_runs: int) -> list[Path]:
    """Of the same measured runs, whatever was profiled after them; each with a baseline before each block."""
    found = []
    for number, count in enumerate(profile_runs, 1):
        folder = node(place / f"node{number}", number, replace(PLAN, profile_runs=count))
        for block in range(1, PLAN.blocks + count + 1):
            store.baseline_path(folder, block).write_bytes(f"{number} {block}".encode())
        found.append(folder)
    return found


def test_what_was_measured_is_merged_and_what_was_profiled_stays_behind(tmp_path: Path) -> None:
    """Also of machines that were profiled differently often: nothing else differs by it."""
    plain = store.load_campaign(merging.merge(campaigns(tmp_path / "plain", 0, 0), tmp_path / "one" / "all"))
    out = merging.merge(campaigns(tmp_path / "profiled", 1, 2), tmp_path / "two" / "all")
    merged = store.load_campaign(out)
    assert merged.record.plan == plain.record.plan and merged.order == plain.order
    assert [one.record.planned for one in merged.runs] == [one.record.planned for one in plain.runs]
    found = [store.baseline_path(out, block).read_bytes() for block in (1, 2, 3, 4)]
    assert found == [b"1 1", b"1 2", b"2 1", b"2 2"]
    assert not any("block-0005" in name or "sources/1/baselines" in name for name in sums(out))


def test_merging_in_steps_is_merging_at_once(tmp_path: Path) -> None:
    given = campaigns(tmp_path, 1, 2, 0)
    at_once = merging.merge(given, tmp_path / "at-once" / "all")
    in_steps = merging.merge(
        [merging.merge(given[1:], tmp_path / "two"), given[0]], tmp_path / "in-steps" / "all"
    )
    assert sums(in_steps) == sums(at_once)


def test_a_campaign_that_was_profiled_alone_is_refused(tmp_path: Path) -> None:
    given = [
        node(tmp_path / f"node{number}", number, replace(PLAN, blocks=0, profile_runs=1, control_s=None))
        for number in (1, 2)
    ]
    with pytest.raises(UsageError, match="was profiled, which is never measured"):
        merging.merge(given, tmp_path / "all")
