"""A long command says on a terminal that it works; a log gets nothing of it."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from harness.cli.working import working
from tests.campaigns import Recipe, build


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("place", "told"), [(Terminal(), True), (io.StringIO(), False)])
def test_a_terminal_is_told_what_is_under_way_and_a_file_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: io.StringIO, told: bool
) -> None:
    campaign = build(tmp_path / "c", Recipe(blocks=1))
    monkeypatch.setattr(sys, "stderr", place)
    monkeypatch.setenv("TERM", "xterm")
    with working("report", campaign):
        pass
    assert ("report of 2 runs" in place.getvalue()) is told
    assert bool(place.getvalue()) is told
