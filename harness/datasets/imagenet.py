"""ImageNet (ILSVRC 2012; Russakovsky et al. 2015), from the user's own copy: records of 256x256 to cut crops from."""

from __future__ import annotations

import hashlib
import os
import shutil
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from harness import paths
from harness.datasets import image_folder, photos, unfinished
from harness.datasets.base import OfficialFile
from harness.datasets.growing import GrowingArray
from harness.datasets.image_folder import Photos
from harness.datasets.png import pillow
from harness.datasets.synthetic import SyntheticImages
from harness.errors import MissingPrerequisite

SIDE = 256
SHAPE = (SIDE, SIDE, 3)
RECORDS = 10_000  # of a file: 2 GB
AT_ONCE = 64  # decoded, before they are written: bounds memory
CLASSES = "classes.txt"  # their names, a line each, by number
STAND_IN_SHAPE, STAND_IN_CLASSES = (40, 40, 3), 16


@dataclass(frozen=True)
class ImageNet:
    """Each file of records is a step of its own: what was interrupted goes on after the last whole one."""

    name: str = "imagenet"
    title: str = f"photographs in ImageNet's layout, from a copy of one's own, at {SIDE}x{SIDE}"
    files: tuple[OfficialFile, ...] = ()
    obtained: str = (
        "image-net.org gives a copy to whoever registers there: unpack it as " + image_folder.LAYOUT
    )
    records: int = RECORDS

    def write(self, official: Path, place: Path) -> None:
        library = pillow()
        classes, splits = image_folder.read(official)
        origin = f"{SIDE} Pillow {library.__version__}"
        with unfinished.steps(self.name, origin) as steps, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of cameras' notes that Pillow cannot read
            self._require_room(steps.folder, sum(map(len, splits.values())))
            for split, found in splits.items():
                files = [self._records(steps, split, found, rows) for rows in self._parts(found)]
                for number, path in enumerate(files):
                    path.rename(place / f"{split}_x.{number:03}.npy")
                np.save(place / f"{split}_y.npy", found.labels)
        (place / CLASSES).write_text("".join(f"{name}\n" for name in classes))

    def _parts(self, found: Photos) -> Iterator[slice]:
        return (slice(start, start + self.records) for start in range(0, len(found), self.records))

    def _records(self, steps: unfinished.KeptSteps, split: str, found: Photos, rows: slice) -> Path:
        """Under a name by which photographs that have changed since are made anew."""
        known = hashlib.sha256(repr(found.described(rows)).encode()).hexdigest()[:16]
        [path] = steps.once((f"{split}-{rows.start}-{known}.npy",), partial(_decode, found, rows))
        return path

    def _require_room(self, kept: Path, photographs: int) -> None:
        """Raises: MissingPrerequisite, before hours of work."""
        made = sum(path.stat().st_size for path in kept.glob("*.npy"))
        needed, free = photographs * int(np.prod(SHAPE)) - made, shutil.disk_usage(kept).free
        if needed > free:
            raise MissingPrerequisite(
                f"{self.name} needs {needed / 1e9:.1f} GB more in {paths.data_home()}, where {free / 1e9:.1f} GB are "
                "free: make room there or let JOULEMARK_HOME name another folder"
            )


def _decode(found: Photos, rows: slice, path: Path) -> None:
    """On all CPUs: Pillow lets others compute meanwhile."""
    several = [found.folder / name for name in found.names[rows]]
    with (
        ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool,
        GrowingArray(path, np.uint8, SHAPE) as array,
    ):
        for start in range(0, len(several), AT_ONCE):
            images = pool.map(partial(photos.square, side=SIDE), several[start : start + AT_ONCE])
            array.append(np.stack(list(images)))


SOURCE = ImageNet()
STAND_IN = SyntheticImages("imagenet", STAND_IN_SHAPE, STAND_IN_CLASSES)
