"""A campaign of before, whose runs tell less than those of now, is compared with one of now in what both tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from harness.analysis import quantities
from harness.analysis.quantity import Direction
from tests.campaigns import Recipe, build
from tests.harness.cli.conftest import Answer

TOLD = {"torch": 2_000_000_000, "tensorflow": 3_000_000_000}


@pytest.mark.parametrize("command", [("compare",), ("gate", "--max-increase", "5%")])
@pytest.mark.parametrize("first", [False, True])
def test_what_only_one_side_tells_is_left_out(
    tmp_path: Path,
    suite: Callable[..., Answer],
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
    first: bool,
) -> None:
    judged = replace(quantities.GPU_MEMORY, direction=Direction.LOWER)
    monkeypatch.setattr(quantities, "GPU_MEMORY", judged)
    folders = [tmp_path / name for name in ("a", "b")]
    for seed, told in enumerate([TOLD, {}] if first else [{}, TOLD]):
        build(folders[seed], Recipe(blocks=3, seed=seed, gpu_bytes=told))
    answer = suite(command[0], *folders, *command[1:])
    assert answer.code in (0, 1, 3), answer.out + answer.err
    assert "energy_j" in answer.out and judged.name not in answer.out
