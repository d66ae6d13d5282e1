"""A command whose reader leaves early, as of `suite gate ... | head`, says nothing and claims nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness import paths
from harness.cli.screen import EXIT_UNREAD
from tests.campaigns import Recipe, build

GATE = ("gate", "--reference", "torch", "--max-increase", "5%")


@pytest.mark.parametrize(
    "words", [("compare",), ("compare", "--format", "csv"), GATE, ("status",)], ids=" ".join
)
def test_an_early_end_of_reading_is_no_result(tmp_path: Path, words: tuple[str, ...]) -> None:
    folder = build(tmp_path / "c", Recipe(blocks=2)).folder
    command, *options = words
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as nobody:
        done = subprocess.run(
            [sys.executable, "-m", "harness.cli", command, str(folder), *options],
            stdout=nobody, stderr=subprocess.PIPE, text=True, cwd=paths.ROOT, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (EXIT_UNREAD, "")
