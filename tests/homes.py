"""Homes of tests' own."""

from __future__ import annotations

from pathlib import Path

from harness import paths


def link_environments(home: Path) -> None:
    """A new home with data sets and proofs of its own gets the environments and wheels that are at hand already."""
    home.mkdir(parents=True)
    for place in (paths.environments_home(), paths.wheels_home()):
        place.mkdir(parents=True, exist_ok=True)
        (home / place.name).symlink_to(place)
