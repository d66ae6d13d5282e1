"""What the classifiers learn from real images, as a user runs them: subsets of the official sets."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from harness import store
from harness.analysis.tables import measured, tables
from harness.datasets import official, prepared, source
from harness.datasets.base import Source
from harness.inventory import catalog
from tests.conftest import SHARED
from tests.harness.datasets.official_layout import tar_gz

NEURAL = {"torch", "tensorflow", "keras", "jax"}
ARCHIVE = "cifar-10-python.tar.gz"

pytestmark = [pytest.mark.slow, pytest.mark.frameworks]


class Subset:
    """A source of official form whose files are those in a folder, whatever their checksums."""

    def __init__(self, whole: Source, folder: Path) -> None:
        self.name, self.title, self.arrays = whole.name, f"a subset of: {whole.title}", whole.arrays
        self.files = tuple(replace(one, sha256=official.sha256(folder / one.name)) for one in whole.files)


def cifar10(tmp_path: Path) -> Path:
    """4 000 + 1 000 images."""
    folder = SHARED / "data" / "cifar-10-subset"
    members = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*_batch*")}
    tar_gz(tmp_path / ARCHIVE, members)
    return tmp_path


def malaria(tmp_path: Path) -> Path:
    """3 200 + 800 cells, in grey."""
    pytest.importorskip("PIL", reason="Pillow is not installed")
    return SHARED / "data" / "malaria-subset"


@pytest.mark.parametrize("files", [cifar10, malaria])
def test_every_framework_learns_real_images(
    files: Callable[[Path], Path], tmp_path: Path, shared_home: Path
) -> None:
    if not (SHARED / "data").is_dir():
        pytest.skip("the real images are not beside the checkout")
    name, folder, out = files.__name__, files(tmp_path), tmp_path / "campaign"
    prepared.prepare(Subset(source(name), folder), folder)
    words = ["-w", f"{name}_cnn", "-s", "train", "-r", "1", "--environment", "virtualenv", "-o", str(out)]
    done = subprocess.run(
        [sys.executable, "-m", "harness.cli", "run", *words], capture_output=True, text=True, timeout=3600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    runs = measured(tables(store.load_campaign(out)).runs)  # without warm-up and control
    print(runs[["framework", "dataset", "duration_s", "quality"]].to_string())
    assert set(runs["dataset"]) == {name}
    assert set(runs["framework"]) == NEURAL
    assert (runs["quality"] >= catalog.workload(f"{name}_cnn").spec.quality_floor[name]).all()
