"""Made-up archives as large as official ones, in their layout, written piece by piece; run as a program, prepares one.

python -m tests.harness.datasets.official_size NAME FOLDER   prints peak memory in bytes and seconds
"""

from __future__ import annotations

import io
import re
import sys
import tarfile
import time
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, count, islice, product
from pathlib import Path

import numpy as np
import pyarrow as pa
from PIL import Image
from pyarrow import csv

from harness.datasets import coco, prepared, source
from harness.datasets.base import Source
from tests.real_sets import as_official

USERS, ITEMS, RATINGS_EACH = 138_493, 26_744, 144
WORDS, TOKENS, WORDS_OF_A_LINE = 267_735, 100_000_000, 60
RAW_WORDS, SYLLABLES = 1_000_000, [a + b for a in "dklmnrst" for b in "aeio"]
PAIRS, PARTS = 1_000_000, 40_000
IMAGE_SIDE, CORNERS = 64, 56  # pixels, and numbers of a polygon
AT_ONCE = 1_000_000


def ratings(folder: Path) -> Path:
    """20 million: of each user every `step`-th film, at random times."""
    generator = np.random.default_rng(0)
    some = 5000
    with (
        zipfile.ZipFile(folder / "ml-20m.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("ml-20m/ratings.csv", "w", force_zip64=True) as file,
    ):
        file.write(b"userId,movieId,rating,timestamp\n")
        for first in range(1, USERS + 1, some):
            user = np.arange(first, min(first + some, USERS + 1))
            begin, step = generator.integers(0, ITEMS, (2, len(user), 1))
            item = (begin + (step % 180 + 1) * np.arange(RATINGS_EACH)) % ITEMS + 1
            stamps = generator.integers(8e8, 14e8, item.size)
            columns = [np.repeat(user, RATINGS_EACH), item.ravel(), np.full(item.size, 3.5), stamps]
            table = pa.table(dict(zip("abcd", columns, strict=True)))
            csv.write_csv(table, file, csv.WriteOptions(include_header=False))
    return folder


def text(folder: Path) -> Path:
    """100 million words whose frequencies are as of a language."""
    words = ["<unk>", *(f"w{number:x}" for number in range(WORDS - 2))]
    return _written(folder / "wikitext-103-v1.zip", "wikitext-103/wiki.{}.tokens", words)


def raw_text(folder: Path) -> Path:
    """The same with a million different words of letters, the frequent ones shorter; 600 MB."""
    return _written(folder / "wikitext-103-raw-v1.zip", "wikitext-103-raw/wiki.{}.raw", _spelt(RAW_WORDS))


def _spelt(words: int) -> list[str]:
    every = (map("".join, product(SYLLABLES, repeat=length)) for length in count(1))
    return list(islice(chain.from_iterable(every), words))


def _written(path: Path, member: str, words: list[str]) -> Path:
    known = np.array(words, object)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for split, tokens in {"train": TOKENS, "test": 250_000}.items():
            with archive.open(member.format(split), "w", force_zip64=True) as file:
                for chosen in _by_frequency(tokens, len(known)):
                    rows = known[chosen].reshape(-1, 50)
                    file.write("".join(f" {' '.join(row)} \n" for row in rows.tolist()).encode())
    return path.parent


def translations(folder: Path) -> Path:
    """A million pairs, and the test set."""
    syllables = [
        a + b + c
        for a in "bdfghklmnprstvwz"
        for b in ("a", "e", "i", "o", "u", "ei")
        for c in ("", "n", "r", "s")
    ]
    spell = np.random.default_rng(1).integers(0, len(syllables), (PARTS, 4))
    words = np.array(
        ["".join(syllables[one] for one in row[: 1 + number % 4]) for number, row in enumerate(spell)], object
    )
    official = source("wmt16-en-de")
    for corpus in official.corpora:
        pairs = PAIRS // len(official.corpora)
        _tar(
            folder / corpus.archive,
            {name: _sentences(words, pairs) for name in (corpus.source, corpus.target)},
        )
    segments = b"".join(
        b'<seg id="1">%s</seg>\n' % line for line in _sentences(words, official.test_pairs).splitlines()
    )
    _tar(folder / official.test.archive, {official.test.source: segments, official.test.target: segments})
    return folder


def objects(folder: Path) -> Path:
    """As many images, small ones, and annotations as COCO 2017 has, with polygons of as many corners."""
    photograph = io.BytesIO()
    Image.new("RGB", (IMAGE_SIDE, IMAGE_SIDE * 3 // 4)).save(photograph, "JPEG")
    with zipfile.ZipFile(folder / coco.ANNOTATIONS, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as told:
        for split, words in (("train", "training"), ("test", "test")):
            images, things = (coco.EXPECTED[f"{words} {what}"] for what in ("images", "annotations"))
            name = coco.FOLDERS[split]
            with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
                for number in range(1, images + 1):
                    archive.writestr(f"{name}/{number}.jpg", photograph.getvalue())
            with told.open(f"annotations/instances_{name}.json", "w", force_zip64=True) as file:
                for piece in _annotations(images, things):
                    file.write(piece.encode())
    return folder


def _annotations(images: int, things: int) -> Iterator[str]:
    """The parts of a JSON file."""
    generator, size = np.random.default_rng(things), f'"width": {IMAGE_SIDE}, "height": {IMAGE_SIDE * 3 // 4}'
    shapes = [generator.uniform(4, 40, CORNERS).round(2).tolist() for _ in range(100)]
    yield '{"categories": [{"id": 1, "name": "cat"}], "images": ['
    yield ", ".join(f'{{"id": {one}, "file_name": "{one}.jpg", {size}}}' for one in range(1, images + 1))
    yield '], "annotations": ['
    for one in range(1, things + 1):
        yield f'{"" if one == 1 else ", "}{{"id": {one}, "image_id": {one % images + 1}, "category_id": 1, '
        yield f'"bbox": [4, 4, 36, 36], "area": 500.5, "iscrowd": 0, "segmentation": [{shapes[one % 100]}]}}'
    yield "]}"


def _sentences(words: np.ndarray, count: int) -> bytes:
    generator = np.random.default_rng(count)
    lengths = generator.integers(3, 40, count)
    chosen = np.concatenate(list(_by_frequency(int(lengths.sum()), len(words))))
    parts = np.split(words[chosen], np.cumsum(lengths)[:-1])
    return "".join(f"{' '.join(part.tolist())}\n" for part in parts).encode()


def _by_frequency(tokens: int, words: int) -> Iterator[np.ndarray]:
    """Numbers of words by Zipf's law."""
    generator = np.random.default_rng(tokens)
    weights = np.cumsum(1 / np.arange(1, words + 1))
    for first in range(0, tokens, AT_ONCE):
        draws = generator.random(min(AT_ONCE, tokens - first)) * weights[-1]
        yield np.searchsorted(weights, draws).clip(max=words - 1)


def _tar(path: Path, members: dict[str, bytes]) -> None:
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


def of_this_size(name: str, folder: Path) -> Source:
    """The source, which takes what was made up here for its own."""
    expected = {} if hasattr(source(name), "expected") else None
    one = source(name) if expected is None else replace(source(name), expected=expected)
    if isinstance(one, coco.Coco):
        one = replace(one, form=replace(one.form, side=IMAGE_SIDE))
    return as_official(one, folder)


def peak_bytes() -> int:
    """Of this program alone: the kernel begins anew with each."""
    [found] = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found) * 1024


if __name__ == "__main__":
    name, folder = sys.argv[1], Path(sys.argv[2])
    one, begin_s = of_this_size(name, folder), time.monotonic()
    prepared.prepare(one, folder)
    print(peak_bytes(), round(time.monotonic() - begin_s))
