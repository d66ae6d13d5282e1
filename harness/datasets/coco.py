"""COCO 2017 (Lin et al. 2014, arXiv:1405.0312), for detectors: canvases of one size, and what is to be found there."""

from __future__ import annotations

import hashlib
import os
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from harness import paths
from harness.datasets import coco_annotations, coco_truths, sizes, unfinished
from harness.datasets.base import OfficialFile
from harness.datasets.coco_annotations import Annotations, Picture
from harness.datasets.coco_pictures import canvas
from harness.datasets.coco_truths import Form
from harness.datasets.growing import GrowingArray
from harness.datasets.member_streams import UNREADABLE
from harness.datasets.png import pillow
from harness.errors import DataError, MissingPrerequisite

ANNOTATIONS = "annotations_trainval2017.zip"
FOLDERS = {"train": "train2017", "test": "val2017"}  # of each split
# Sizes and SHA-256 as in tensorflow/datasets, url_checksums/coco.txt
FILES = (
    OfficialFile(
        "train2017.zip",
        "http://images.cocodataset.org/zips/train2017.zip",
        "69a8bb58ea5f8f99d24875f21416de2e9ded3178e903f1f7603e283b9e06d929",
        19336861798,
    ),
    OfficialFile(
        "val2017.zip",
        "http://images.cocodataset.org/zips/val2017.zip",
        "4f7e2ccb2866ec5041993c9cf2a952bbed69647b115d0f74da7ce8f4bef82f05",
        815585330,
    ),
    OfficialFile(
        ANNOTATIONS,
        "http://images.cocodataset.org/annotations/annotations_trainval2017.zip",
        "113a836d90195ee1f884e704da6304dfaaecff1f023f49b6ca93c4aaae470268",
        252907541,
    ),
)
# As others count them: cocodataset/cocoapi, issues 76 and 117.
EXPECTED = {
    "training images": 118287,
    "training annotations": 860001,
    "test images": 5000,
    "test annotations": 36781,
}
MOST_OBJECTS = 100  # of an image, as many as COCO's judge looks at
MOST_IMAGE_BYTES = 1 << 24  # an official one has at most some 400 kB
AT_ONCE = 64  # images decoded before they are written: bounds memory


@dataclass(frozen=True, eq=False)
class Coco:
    """Rows are in the order of the images' numbers; images that nobody can learn from are left out of training."""

    name: str
    title: str
    form: Form
    files: tuple[OfficialFile, ...] = FILES
    expected: Mapping[str, int] = field(default_factory=lambda: EXPECTED)

    def write(self, official: Path, place: Path) -> None:
        pillow()  # before minutes of work
        found = {split: self.annotations(official, split) for split in FOLDERS}
        self._check(found)
        chosen = {"train": _to_learn_from(found["train"]), "test": found["test"].pictures}
        if not chosen["train"]:
            raise DataError(f"{self.name}: its training images have no objects")
        with unfinished.steps(self.name, self._origin()) as steps:
            self._require_room(steps.folder, [*chosen["train"], *chosen["test"]])
            images = [
                steps.once(
                    (f"{split}_image.npy",),
                    partial(self._decode, official / f"{FOLDERS[split]}.zip", pictures),
                )
                for split, pictures in chosen.items()
            ]
            for split, pictures in chosen.items():
                coco_truths.write(place, split, pictures, self.form)
            coco_truths.write_truth(place, chosen["test"], found["test"].classes, self.form)
            for [path] in images:
                path.rename(place / path.name)

    def annotations(self, official: Path, split: str) -> Annotations:
        """Of a split, train or test, as the official archives tell them.

        Raises: DataError for an archive that is damaged, or lacks them.
        """
        path, member = official / ANNOTATIONS, f"annotations/instances_{FOLDERS[split]}.json"
        try:
            with zipfile.ZipFile(path) as archive:
                opened = partial(archive.open, member)
                return coco_annotations.read(opened, f"{path}: {member}", self.form.shapes)
        except KeyError as error:
            raise DataError(f"{path} lacks {member}") from error
        except UNREADABLE as error:
            raise DataError(f"{path} is not a whole zip archive: {error}") from error

    def _check(self, found: Mapping[str, Annotations]) -> None:
        """Raises: DataError if it is not as much as others have read."""
        counted = {}
        for words, split in (("training", "train"), ("test", "test")):
            pictures = found[split].pictures
            counted[f"{words} images"] = len(pictures)
            counted[f"{words} annotations"] = sum(len(one.things) for one in pictures)
        sizes.check(
            self.name, {what: self.expected.get(what, number) for what, number in counted.items()}, counted
        )
        if found["train"].classes != found["test"].classes:
            raise DataError(f"{self.name}: training and test annotations are of other categories")

    def _origin(self) -> str:
        """What the canvases are made from."""
        made_from = [*(file.sha256 for file in self.files), self.form, pillow().__version__]
        return hashlib.sha256(repr(made_from).encode()).hexdigest()

    def _require_room(self, kept: Path, pictures: Sequence[Picture]) -> None:
        """Raises: MissingPrerequisite, before hours of work."""
        made = sum(path.stat().st_size for path in kept.glob("*.npy"))
        needed, free = len(pictures) * self.form.row_bytes(pictures[0]) - made, shutil.disk_usage(kept).free
        if needed > free:
            raise MissingPrerequisite(
                f"{self.name} takes {needed / 1e9:.1f} GB more in {paths.data_home()}, where {free / 1e9:.1f} GB are "
                "free: make room there or let JOULEMARK_HOME name another folder"
            )

    def _decode(self, archive: Path, pictures: Sequence[Picture], path: Path) -> None:
        """On all CPUs: Pillow lets others compute meanwhile."""
        shape = (self.form.side, self.form.side, 3)
        with (
            _opened(archive) as images,
            ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool,
            GrowingArray(path, np.uint8, shape) as array,
        ):
            for start in range(0, len(pictures), AT_ONCE):
                some = pictures[start : start + AT_ONCE]
                contents = [_content(images, archive, one) for one in some]
                where = [f"{archive}: {one.file_name}" for one in some]
                forms = [self.form] * len(some)
                array.append(np.stack(list(pool.map(canvas, contents, some, forms, where))))


def _to_learn_from(found: Annotations) -> list[Picture]:
    """Those with an object; a crowd alone is none."""
    return [one for one in found.pictures if not all(thing.crowd for thing in one.shown())]


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except UNREADABLE as error:
        raise DataError(f"{path} is not a whole zip archive: {error}") from error


def _content(images: zipfile.ZipFile, path: Path, picture: Picture) -> bytes:
    """Of the member, which lies in the archive's one folder."""
    name = f"{path.stem}/{picture.file_name}"
    try:
        size_bytes = images.getinfo(name).file_size
        if size_bytes > MOST_IMAGE_BYTES:
            raise DataError(
                f"{path}: {name} has {size_bytes} bytes, more than the {MOST_IMAGE_BYTES} expected at most"
            )
        return images.read(name)
    except KeyError as error:
        raise DataError(f"{path} lacks {name}, which its annotations tell of") from error
    except UNREADABLE as error:
        raise DataError(f"{path} is not a whole zip archive: {error}") from error
