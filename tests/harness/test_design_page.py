"""docs/design.md against the tree: every room has its row, and every row its room."""

from __future__ import annotations

import re

from harness import paths

PAGE = paths.ROOT / "docs" / "design.md"


def test_the_rooms_are_those_of_the_tree() -> None:
    there = {f"harness/{one.parent.name}/" for one in (paths.ROOT / "harness").glob("*/__init__.py")}
    told = {one for one in re.findall(r"`((?:harness|suite|reports)/(?:\w+/)?)`", PAGE.read_text())}
    assert told == there | {"suite/", "reports/", "harness/"}


def test_the_loose_files_are_those_of_the_tree() -> None:
    there = {one.name for one in (paths.ROOT / "harness").glob("*.py")} - {"__init__.py"}
    (paragraph,) = re.findall(r"Loose in `harness/`.*?\n\n", PAGE.read_text(), re.DOTALL)
    assert set(re.findall(r"`(\w+\.py)`", paragraph)) == there
