"""The disk fills up during a run: one line, no run is burned for it, and the campaign goes on once there is room."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.harness.faults import laws
from tests.harness.faults.victim import Victim
from tests.small_disks import fill, small_disk

pytestmark = pytest.mark.unhurried
SIZE = "200m"  # more than a campaign wants to see free


def fills_up(victim: Victim) -> None:
    with small_disk(victim.place / "disk", SIZE) as disk:
        victim.folder = disk / "campaign"
        victim.begin()
        victim.until(victim.runs(1))
        victim.until(victim.phase("train"))
        ballast = fill(disk)
        assert str(disk) in laws.one_line(victim)
        seen = laws.hold(victim, {})
        assert len(seen) == 1
        victim.begin()
        assert "MiB free" in laws.one_line(victim)
        assert laws.hold(victim, seen) == seen
        ballast.unlink()
        assert len(laws.go_on_to_the_end(victim, seen)) == 2


def test_a_disk_that_fills_up(in_both: Callable[..., None]) -> None:
    in_both(fills_up, retries=0)
