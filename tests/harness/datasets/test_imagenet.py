"""Folders of photographs become records in several files; what is interrupted goes on; what is missing is one line."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness.datasets import photos, prepared
from harness.datasets.imagenet import CLASSES, SHAPE, SIDE, SOURCE
from harness.errors import DataError, MissingPrerequisite
from suite import data
from tests.harness.datasets.official_layout import png

pytest.importorskip("PIL", reason="Pillow is not installed")
SMALL = replace(SOURCE, records=4)  # of a file


def photograph(path: Path, level: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(png(np.full((2, 3, 3), level, np.uint8)))


@pytest.fixture
def copy(tmp_path: Path, home: Path) -> Path:
    """Three classes: 3, 3 and 3 photographs to train on, as bright as their number, and one of two to test."""
    folder = tmp_path / "copy"
    for number in range(9):
        photograph(folder / "train" / f"n{number // 3}" / f"{number}.JPEG", number)
    for number in (0, 2):
        photograph(folder / "val" / f"n{number}" / "a.JPEG", 100 + number)
    (folder / "train" / "n1" / "Thumbs.db").write_bytes(b"no photograph")
    return folder


def levels(records: object) -> list[int]:
    return np.asarray(records[:])[:, 0, 0, 0].tolist()  # type: ignore[index]


def test_records_lie_in_several_files_and_are_read_as_one(copy: Path) -> None:
    place = prepared.prepare(SMALL, copy)
    assert sorted(path.name for path in place.glob("train_x*")) == [f"train_x.00{i}.npy" for i in range(3)]
    found = data.load(place, mapped=True)
    assert found.train["x"].shape == (9, *SHAPE) and found.test["x"].shape == (2, *SHAPE)
    assert levels(found.train["x"]) == list(range(9)) and levels(found.test["x"]) == [100, 102]
    assert found.train["y"].tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2] and found.test["y"].tolist() == [0, 2]
    assert (place / CLASSES).read_text().split() == ["n0", "n1", "n2"]
    assert levels(data.load(place).train["x"]) == list(range(9))


def test_all_files_have_their_checksum_and_count(copy: Path) -> None:
    place = prepared.prepare(SMALL, copy)
    tests = np.load(place / "test_y.npy").size
    assert (prepared.train_samples("imagenet"), prepared.test_samples("imagenet")) == (9, tests) != (9, 9)
    assert prepared.test_samples("digits") is None
    with (place / "train_x.001.npy").open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"\xff")
    with pytest.raises(DataError, match=r"train_x\.001\.npy is damaged"):
        prepared.verify("imagenet")


def test_what_was_interrupted_goes_on_after_the_last_whole_file(
    copy: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded: list[str] = []

    def noted(path: Path, side: int) -> np.ndarray:
        decoded.append(path.name)
        return found(path, side)

    found = photos.square
    monkeypatch.setattr(photos, "square", noted)
    broken = copy / "train" / "n1" / "5.JPEG"
    whole = broken.read_bytes()
    broken.write_bytes(whole[:40])
    with pytest.raises(DataError, match=r"5\.JPEG is not a whole image.*nothing was prepared.*data import"):
        prepared.prepare(SMALL, copy)
    assert not prepared.is_prepared("imagenet")
    decoded.clear()
    broken.write_bytes(whole)
    place = prepared.prepare(SMALL, copy)
    assert "4.JPEG" in decoded and "3.JPEG" not in decoded
    assert levels(data.load(place, mapped=True).train["x"]) == list(range(9))
    assert not (home / "data" / "unfinished" / "imagenet").exists()


def test_without_room_nothing_is_begun(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(copy)._replace(free=11 * SIDE * SIDE * 3 - 1)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    monkeypatch.setattr(photos, "square", lambda *_, **__: pytest.fail("decoded"))
    with pytest.raises(MissingPrerequisite, match=r"imagenet needs 0\.0 GB more in .*: make room there"):
        prepared.prepare(SMALL, copy)


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        ("train", "train is missing: what is imported has train/<class>"),
        ("val", "val is missing"),
        ("train/n2", "val/n2 is of a class that train does not have"),
        ("train/n0/*", "train/n0 has no photographs"),
        ("val/*", "val has no folders of classes"),
    ],
)
def test_another_layout_is_one_line(copy: Path, missing: str, words: str) -> None:
    for path in list(copy.glob(missing)):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    with pytest.raises(DataError, match=words) as told:
        prepared.prepare(SMALL, copy)
    assert "\n" not in str(told.value)
    assert not prepared.is_prepared("imagenet")


@pytest.mark.unhurried
def test_real_photographs_are_read(real: Callable[[str], Path], home: Path) -> None:
    found = data.load(prepared.prepare(SOURCE, real("imagenet-sample")), mapped=True)
    assert found.train["x"].shape == (100, *SHAPE) and found.test["x"].shape == (20, *SHAPE)
    assert found.train["y"].tolist() == list(range(100))
    several = found.train["x"][:]
    grey = (several == several[..., :1]).all(axis=(1, 2, 3)).sum()
    assert 3 <= grey <= 10 and 90 < several.mean() < 150
