"""What is no COCO, or would be dangerous to read: one line that says what, and nothing is prepared."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.datasets import coco, coco_2017_300, coco_2017_640, prepared, sources
from harness.datasets.coco import Coco
from harness.errors import DataError, MissingPrerequisite
from tests.harness.cli.conftest import refused, suite  # noqa: F401 - fixtures
from tests.harness.datasets.test_coco import IMAGES, PIL, TEST, TRAIN, Write, jpeg, thing, told, write  # noqa: F401

Refused = Callable[..., str]


@pytest.fixture
def said(home: Path, tmp_path: Path, write: Write) -> Refused:  # noqa: F811
    """A function of what `write` takes -> what is said of it, which must be refused in one line."""

    def give(*given: Any, **named: Any) -> str:
        source = write(*given, **named)
        with pytest.raises(DataError) as error:
            prepared.prepare(source, tmp_path)
        words = str(error.value)
        assert "nothing was prepared" in words and "\n" not in words and len(words) < 1000
        assert not prepared.is_prepared(source.name)
        return words

    return give


def changed(place: str, **more: Any) -> dict[str, Any]:
    """TRAIN, of which the first entry in a list is another."""
    first, *others = TRAIN[place]
    return {**TRAIN, place: [{**first, **more}, *others]}


ROUND = thing(1, 5, [0, 0, 30, 20])


@pytest.mark.parametrize(
    ("annotations", "words"),
    [
        (b"", "instances_train2017.json is not as COCO's"),
        (b"no JSON", "is not as COCO's"),
        (b'{"images": [{"id": 5, "file_name"', "is not as COCO's"),
        (json.dumps(TRAIN).encode("utf-16"), "is not as COCO's"),
        (b'{"images": [{"id": 1e999}]}', "is not as COCO's"),
        (b'{"images": ' + b"[" * 100_000, "is not as COCO's"),
        ([], "has no '{' where one should be"),
        ({}, "lacks images or categories"),
        ({**TRAIN, "images": {"5": {}}}, "lacks images or categories"),
        ({**TRAIN, "images": [5]}, "an entry has no id: 5"),
        ({**TRAIN, "categories": []}, "lacks images or categories"),
        ({**TRAIN, "images": TRAIN["images"] * 2}, "two picture entries have the id 7"),
        (changed("images", id="7"), "id is no whole number: 7"),
        (changed("images", height=0), "image 7 is said to be 40x0"),
        (changed("images", width=1 << 40), "image 7 is said to be"),
        (changed("images", file_name=3), "image 7 has no file_name"),
        (changed("annotations", image_id=99), "annotation 2 is of image 99, which is not in its list"),
        (changed("annotations", category_id=1), "annotation 2 is of category 1, which is not in its list"),
        (changed("annotations", bbox=[1, 2, -3, 4]), "annotation 2: its bbox cannot be: [1, 2, -3, 4]"),
        (changed("annotations", bbox=[1, 2, 3]), "annotation 2: its bbox is not four numbers"),
        (changed("annotations", bbox=[1, 2, 3, "4"]), "annotation 2: its bbox is not four numbers"),
        (changed("annotations", bbox=[1, 2, 3, 1e300]), "annotation 2: its bbox cannot be"),
        (changed("annotations", bbox=[1, 2, 3, 10**400]), "is not as COCO's"),
        (changed("annotations", area=-1), "annotation 2: its area cannot be"),
        (changed("annotations", area=1e308), "annotation 2: its area cannot be: 1e+308"),
        (changed("annotations", iscrowd=2), "annotation 2: iscrowd is neither 0 nor 1: 2"),
        (changed("images", id=True), "id is no whole number: True"),
        (changed("images", id=-1), "id cannot be: -1"),
        (changed("images", id=1 << 70), "id cannot be: 1180591620717411303424"),
        (
            {**TRAIN, "categories": [{"id": one, "name": "cat"} for one in range(256)]},
            "256 categories, more than 255",
        ),
        (changed("annotations", iscrowd=None), "annotation 2: iscrowd is no whole number"),
        (changed("annotations", segmentation=[]), "annotation 2: its segmentation is neither"),
        (changed("annotations", segmentation=[[1, 2, 3, 4]]), "annotation 2: a polygon of it is no list"),
        (changed("annotations", segmentation=[[1, 2, 3, 4, 5]]), "annotation 2: a polygon of it is no list"),
        (changed("annotations", segmentation=[[0, 0] * 40_000]), "annotation 2: a polygon of it is no list"),
        (changed("annotations", segmentation=[[0, 0, 1e9, 0, 0, 9]]), "lies far outside of the image"),
        (changed("annotations", segmentation=[[0, 0, None, 0, 0, 9]]), "corners that are no numbers"),
        (changed("annotations", segmentation={"counts": [2400]}), "of another size than the image"),
        (changed("annotations", segmentation={"counts": [9], "size": [60, 40]}), "do not fill the image"),
        (
            changed("annotations", segmentation={"counts": [-9, 2409], "size": [60, 40]}),
            "lengths that cannot be",
        ),
        (changed("annotations", segmentation={"counts": "o" * 9, "size": [60, 40]}), "not compressed as"),
        (changed("annotations", segmentation={"counts": "\x00", "size": [60, 40]}), "not compressed as"),
        (changed("annotations", segmentation={"counts": "0", "size": [60, 40]}), "do not fill the image"),
        (changed("annotations", segmentation={"counts": 5, "size": [60, 40]}), "no list of lengths"),
    ],
)
def test_annotations_that_cannot_be(said: Refused, annotations: object, words: str) -> None:
    assert words in said(annotations)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (IMAGES["7.jpg"][:400], "7.jpg is not a whole JPEG image"),
        (b"no image", "7.jpg is not a whole JPEG image"),
        (jpeg(40, 60), "7.jpg has 60x40 pixels, its annotations are of 40x60"),
        (bytes(1 << 25), "7.jpg has 33554432 bytes, more than"),
    ],
)
def test_images_that_cannot_be(said: Refused, content: bytes, words: str) -> None:
    assert words in said(images={**IMAGES, "7.jpg": content})


@pytest.mark.parametrize(("side", "words"), [(9000, "9000x9000 pixels"), (65000, "4225000000 pixels")])
def test_an_image_that_says_it_is_enormous_is_not_decoded(said: Refused, side: int, words: str) -> None:
    content = IMAGES["7.jpg"]
    place = content.index(b"\xff\xc0") + 5
    bomb = content[:place] + struct.pack(">HH", side, side) + content[place + 4 :]
    assert words in said(images={**IMAGES, "7.jpg": bomb})


def test_another_format_under_a_jpeg_name_is_refused(said: Refused) -> None:
    content = io.BytesIO()
    PIL.new("RGB", (40, 60)).save(content, "PNG")
    assert "7.jpg is not a whole JPEG image" in said(images={**IMAGES, "7.jpg": content.getvalue()})


def test_an_image_that_is_not_in_the_archive_is_named(said: Refused) -> None:
    assert "lacks train2017/7.jpg" in said(images={name: IMAGES[name] for name in ("5.jpg", "6.jpg")})


def test_a_name_that_points_out_of_the_archive_is_a_name_that_it_lacks(said: Refused) -> None:
    assert "lacks train2017/../../secret" in said(changed("images", file_name="../../secret"))


def test_more_objects_than_there_is_room_for_are_refused(said: Refused) -> None:
    several = [thing(number, 5, [0, 0, 9, 9]) for number in range(101)]
    assert "image 5 has 101 objects, more than the 100" in said(told(*several))


def test_other_categories_in_the_test_are_refused(said: Refused) -> None:
    other = {**TEST, "categories": [{"id": 18, "name": "cat"}]}
    assert "of other categories" in said(test=other)


def test_nothing_to_learn_from_is_refused(said: Refused) -> None:
    assert "no objects" in said(told(thing(1, 5, [0, 0, 60, 40], iscrowd=1)))


def test_another_number_of_images_than_published_is_refused(
    home: Path,
    tmp_path: Path,
    write: Write,  # noqa: F811
) -> None:
    source = write()
    whole = Coco(source.name, source.title, source.form, source.files)
    with pytest.raises(
        DataError, match="read 3 training images, not 118287 and 2 training annotations, not 860001"
    ):
        prepared.prepare(whole, tmp_path)


def test_an_archive_that_is_none_is_named(home: Path, tmp_path: Path, write: Write) -> None:  # noqa: F811
    from tests.real_sets import as_official

    for name in ("annotations_trainval2017.zip", "train2017.zip"):
        source = write()
        (tmp_path / name).write_bytes(b"no archive")
        with pytest.raises(DataError, match=f"{name} is not a whole zip archive"):
            prepared.prepare(as_official(source, tmp_path), tmp_path)


def test_room_that_is_lacking_is_told_before_anything_is_decoded(
    home: Path,
    tmp_path: Path,
    write: Write,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = write(source=coco_2017_300.SOURCE)
    monkeypatch.setattr(coco.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 1_000_000})())
    monkeypatch.setattr(coco, "canvas", lambda *_: pytest.fail("it was decoded"))
    with pytest.raises(
        MissingPrerequisite, match=r"takes 0\.0 GB more in .*, where 0\.0 GB are free: make room"
    ):
        prepared.prepare(source, tmp_path)


def test_without_pillow_one_line_says_what_to_install(
    refused: Refused,  # noqa: F811
    tmp_path: Path,
    home: Path,
    write: Write,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = write(source=coco_2017_640.SOURCE)
    monkeypatch.setitem(sources(), source.name, source)
    monkeypatch.setitem(__import__("sys").modules, "PIL.Image", None)
    assert "pip install pillow" in refused("data", "import", source.name, tmp_path)
