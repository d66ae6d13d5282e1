"""Real texts and ratings beside the checkout, prepared as the official archives are: small sets to learn on.

Each function needs JOULEMARK_HOME of the test's own (fixture `home`), and skips where the real files are not there.
"""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness.datasets import (
    coco_truths,
    imagenet,
    ml_latest_small,
    prepared,
    wikitext_2,
    wikitext_2_bpe,
    wmt16_en_de,
)
from harness.datasets.base import OfficialFile, Source
from harness.datasets.coco import ANNOTATIONS, FOLDERS, Coco
from harness.datasets.coco_pictures import canvas
from harness.datasets.official import sha256
from tests.conftest import SHARED
from tests.harness.datasets.official_layout import sgm, tar_gz, zipped

RESPLIT = "wikitext/wikitext-103-resplit/wikitext-103"
RAW = "wikitext/wikitext-2-raw-official-valid-test/wikitext-2-raw"
RAW_TEST_LINES = 1966  # as many as of RESPLIT


def real(name: str) -> Path:
    """A folder under shared/data."""
    folder = SHARED / "data" / name
    if not folder.is_dir():
        pytest.skip(f"the real files of {name} are not beside the checkout")
    return folder


def as_official(source: Source, folder: Path) -> Source:
    """The source, whose official files are those of the same names in the folder."""
    paths = [folder / file.name for file in source.files]
    files = tuple(OfficialFile(path.name, "", sha256(path), path.stat().st_size) for path in paths)
    return replace(source, files=files)  # type: ignore[type-var]


def movielens_small(folder: Path) -> Path:
    """Prepares all of ml-latest-small (610 users, 9 724 items) under its own name; where it lies."""
    ratings = real("ml-latest-small") / "ratings.csv"
    zipped(folder / "ml-latest-small.zip", {"ml-latest-small/ratings.csv": ratings.read_bytes()})
    return prepared.prepare(as_official(ml_latest_small.SOURCE, folder), folder)


def wikitext(folder: Path) -> Path:
    """Prepares real text as `wikitext-2`, 343 508 tokens to train on; where it lies.

    Those are the official test and half of the validation, whose other half is the test.
    The vocabulary is smaller than the official one: train_tokens.max() + 1.
    """
    text = {
        split: (real(RESPLIT) / f"wiki.{split}.tokens").read_bytes() for split in ("train", "valid", "test")
    }
    members = {
        "wikitext-2/wiki.train.tokens": text["train"] + text["valid"],
        "wikitext-2/wiki.test.tokens": text["test"],
    }
    zipped(folder / "wikitext-2-v1.zip", members)
    source = replace(wikitext_2.SOURCE, expected={})
    return prepared.prepare(as_official(source, folder), folder)


def wikitext_bpe(folder: Path) -> Path:
    """Prepares the same text, raw, as `wikitext-2-bpe`, 422 637 byte pairs to train on; where it lies.

    The test is 158 645; by the frequencies of byte pairs alone it has a perplexity of 1 359, by those of two, 383.
    """
    test, valid = ((real(RAW) / f"wiki.{split}.raw").read_bytes() for split in ("test", "valid"))
    lines = valid.splitlines(keepends=True)
    members = {
        "wikitext-2-raw/wiki.train.raw": test + b"".join(lines[:-RAW_TEST_LINES]),
        "wikitext-2-raw/wiki.test.raw": b"".join(lines[-RAW_TEST_LINES:]),
    }
    zipped(folder / "wikitext-2-raw-v1.zip", members)
    source = replace(wikitext_2_bpe.SOURCE, expected={})
    return prepared.prepare(as_official(source, folder), folder)


def translation(folder: Path, pairs: int = 4000, vocabulary: int = 2000) -> Path:
    """Prepares the first real pairs of news as `wmt16-en-de`; newstest2014 is the test; where it lies.

    Those of more than 50 subwords are left out, as always: of 4 000 pairs more than 2 000 stay.
    """
    news = real("wmt16-en-de")
    corpora = wmt16_en_de.SOURCE.corpora
    for number, corpus in enumerate(corpora):  # a share of the lines in each of the official archives
        members = {corpus.source: news / "train.en", corpus.target: news / "train.de"}
        share = slice(number * pairs // len(corpora), (number + 1) * pairs // len(corpora))
        tar_gz(folder / corpus.archive, {name: lines(path, share) for name, path in members.items()})
    test = wmt16_en_de.SOURCE.test
    members = {test.source: news / "newstest2014.en", test.target: news / "newstest2014.de"}
    tar_gz(folder / test.archive, {name: sgm(path.read_bytes()) for name, path in members.items()})
    return prepared.prepare(as_official(replace(wmt16_en_de.SOURCE, vocabulary=vocabulary), folder), folder)


def lines(path: Path, share: slice) -> bytes:
    return b"".join(path.read_bytes().splitlines(keepends=True)[share])


def coco(folder: Path, source: Coco) -> Path:
    """Prepares 50 + 50 real images of COCO 2017 as `source`, coco_2017_300 say, under its own name; where it lies."""
    return prepared.prepare(coco_archives(folder, source), folder)


def coco_archives(folder: Path, source: Coco) -> Coco:
    """Writes real images and their annotations as archives in the official layout; `source` with these as its own."""
    tiny = real("coco2017-tiny")
    for name in FOLDERS.values():
        images = {f"{name}/{path.name}": path.read_bytes() for path in (tiny / name).iterdir()}
        zipped(folder / f"{name}.zip", images)
    told = {f"annotations/{path.name}": path.read_bytes() for path in (tiny / "annotations").iterdir()}
    zipped(folder / ANNOTATIONS, told)
    return as_official(replace(source, expected={}), folder)  # type: ignore[return-value]


def photographs() -> Path:
    """Prepares 100 + 20 photographs of 100 classes as `imagenet`; where they lie."""
    return prepared.prepare(imagenet.SOURCE, real("imagenet-sample"))


def few_of_coco(folder: Path, source: Coco, side: int, images: int, most: int) -> Path:
    """The first real images with at most so many objects, to be learnt by heart: the test's are those of the training.

    On canvases of `side` pixels; where the arrays and the judge's truth lie.
    """
    form, archives = replace(source.form, side=side), coco_archives(folder, source)
    found = archives.annotations(folder, "train")
    chosen = [one for one in found.pictures if one.shown() and len(one.things) <= most][:images]
    place = folder / "few"
    place.mkdir()
    with zipfile.ZipFile(folder / "train2017.zip") as archive:
        contents = [archive.read(f"train2017/{one.file_name}") for one in chosen]
    canvases = [
        canvas(content, one, form, one.file_name) for content, one in zip(contents, chosen, strict=True)
    ]
    for split in ("train", "test"):
        np.save(place / f"{split}_image.npy", np.stack(canvases))
        coco_truths.write(place, split, chosen, form)
    coco_truths.write_truth(place, chosen, found.classes, form)
    return place
