"""docs/datasets.md names every data set, with the numbers that the code has."""

from __future__ import annotations

import re

import pytest

from harness import paths
from harness.datasets import sources

DOCUMENT = (paths.ROOT / "docs" / "datasets.md").read_text()
ROWS = {
    row[0].strip("`"): row for row in re.findall(r"^\| (`[^|]+`) \| ([^|]+) \| ([^|]+) \|", DOCUMENT, re.M)
}


def test_every_data_set_has_a_row() -> None:
    assert set(ROWS) == set(sources())


@pytest.mark.parametrize("name", [name for name, one in sources().items() if one.files])
def test_the_size_of_the_download_is_stated(name: str) -> None:
    megabytes = sum(file.size_bytes for file in sources()[name].files) / 1e6
    assert f"{megabytes:.0f} MB" in ROWS[name][1]
