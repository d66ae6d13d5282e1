"""The disk fills up during a run: one line, no run is burned for it, and the campaign goes on once there is room."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.harness.faults import laws
from tests.harness.faults.victim import Victim

pytestmark = pytest.mark.unhurried
SIZE = "200m"  # more than a campaign wants to see free


@contextmanager
def small_disk(place: Path) -> Iterator[Path]:
    """A file system of its own."""
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "none", str(place)]
    mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


def fill(disk: Path) -> Path:
    """To the last byte."""
    found = os.statvfs(disk)
    with (disk / "ballast").open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, found.f_bavail * found.f_frsize)
    return disk / "ballast"


def fills_up(victim: Victim) -> None:
    with small_disk(victim.place / "disk") as disk:
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
