"""No command that compares counts a run under the profiler: what it prints is the same without such runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.campaigns import build
from tests.harness.cli.conftest import MISTAKE, Answer
from tests.harness.profiling.beside import LOOKED_AT, RECIPE, both

pytestmark = pytest.mark.unhurried


@pytest.mark.parametrize("kind", LOOKED_AT)
def test_what_compares_prints_the_same(
    kind: str, suite: Callable[..., Answer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within the campaign, and against another one."""
    sides = both(tmp_path, LOOKED_AT[kind])
    other = build(tmp_path / "other", replace(RECIPE, seed=2)).folder
    gate = ("gate", "campaign", "--max-increase", "5%")
    for words in (
        ("compare", "campaign"),
        ("compare", "campaign", other),
        (*gate, "--reference", "torch"),
        (*gate[:2], other, *gate[2:]),
        ("statistics", "campaign"),
    ):
        told = []
        for one in sides:
            monkeypatch.chdir(one.folder.parent)
            told.append(suite(*words))
        assert told[0] == told[1] and told[0].out and told[0].code != MISTAKE, words
