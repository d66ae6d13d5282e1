"""What is read of the machine before a run."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from harness.host import conditions


def test_every_array_of_a_data_set_is_read(tmp_path: Path) -> None:
    for name in ("train_x", "test_x"):
        np.save(tmp_path / f"{name}.npy", np.zeros(1_000_000))
    size = sum(path.stat().st_size for path in tmp_path.iterdir())
    (tmp_path / "manifest.json").write_text("{}")
    assert conditions.read_into_page_cache(tmp_path) == size


def test_the_record_is_json_and_says_what_it_does_not_know(tmp_path: Path) -> None:
    found = json.loads(json.dumps(conditions.at_start(tmp_path)))
    assert found["load_1_min"] >= 0
    assert found["cpu_mhz"] is None or found["cpu_mhz"] > 0
    assert found["gpus"] == []
