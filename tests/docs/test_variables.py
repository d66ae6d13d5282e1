"""docs/environment-variables.md names every variable of ours that the code reads."""

from __future__ import annotations

import re

from harness import paths

OURS = re.compile(r"\bJOULEMARK_[A-Z_]+\b")


def test_every_variable_of_ours_is_on_the_page_and_no_other() -> None:
    code = (file for part in ("harness", "suite", "reports") for file in (paths.ROOT / part).rglob("*.py"))
    read = {name for file in code for name in OURS.findall(file.read_text())}
    assert set(OURS.findall((paths.ROOT / "docs/environment-variables.md").read_text())) == read
