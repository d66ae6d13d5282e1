"""Archives as large as official ones are prepared within a bounded memory, whatever else is on the machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from harness import paths
from tests.harness.datasets import official_size

GIGABYTE = 1e9
# What is made up, and the most memory that its preparation may take; measured figures: docs/datasets.md.
SETS = {
    "ml-20m": (official_size.ratings, 3.0),
    "wikitext-103": (official_size.text, 0.8),
    "wikitext-103-bpe": (official_size.raw_text, 1.5),
    "wmt16-en-de": (official_size.translations, 2.0),
    "coco_2017_640": (official_size.objects, 2.0),
}


@pytest.mark.slow
@pytest.mark.timeout(3600)  # minutes on a quiet machine, many times that on a busy one
@pytest.mark.parametrize("name", SETS)
def test_it_is_prepared_within_its_memory(name: str, tmp_path: Path) -> None:
    make, most_gigabytes = SETS[name]
    peak_bytes = prepared_apart(name, make, tmp_path)
    assert peak_bytes < most_gigabytes * GIGABYTE


def prepared_apart(name: str, make: Callable[[Path], Path], folder: Path) -> int:
    """By a program of its own, whose memory nothing else has filled; its peak."""
    command = [sys.executable, "-m", official_size.__name__, name, str(make(folder))]
    environment = {**os.environ, "JOULEMARK_HOME": str(folder / "home")}
    done = subprocess.run(
        command, cwd=paths.ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    print(f"{name}: {done.stdout}")
    return int(done.stdout.split()[0])
