"""Whatever somebody else's file holds, reading it ends with what it says or with one line: never otherwise."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as some

from harness import store
from harness.errors import SuiteError
from harness.exports.bundle import Origin, write_bundle
from harness.exports.unbundle import made_otherwise, opened
from harness.profiling import stacks_file
from harness.profiling.trace import SeenStacks
from harness.sampling import reading
from tests.campaigns import Recipe, build
from tests.harness.planning.test_plan_files import SOUND, STUDY, made

pytestmark = pytest.mark.timeout(600)
thoroughly = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
    max_examples=150,
)
PIECES = some.one_of(
    some.binary(max_size=12),
    some.sampled_from(
        [b"\0", b"\xff" * 8, b"../", b"9" * 30, b"[" * 3000, b"\x1b[2J", b"-1", b"1e400", b'"', b"\n"]
    ),
)
VALUES = some.one_of(
    some.none(), some.booleans(), some.integers(), some.floats(), some.text(max_size=8), some.just(-1),
    some.just(2**64),
    some.just([]), some.just({}), some.just("../../x"), some.just("\x1b[2J"), some.just([[[{}]]]),
)  # fmt: skip
EDITS = some.lists(some.tuples(some.floats(0, 1), some.integers(0, 40), PIECES), min_size=1, max_size=4)


def edited(content: bytes, edits: list[tuple[float, int, bytes]]) -> bytes:
    for place, length, put in edits:
        start = round(place * len(content))
        content = content[:start] + put + content[start + length :]
    return content


@contextmanager
def one_line() -> Iterator[None]:
    """What is within may be refused, in one line."""
    try:
        yield
    except SuiteError as error:
        assert "\n" not in str(error) and str(error)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> store.Campaign:
    return build(tmp_path_factory.mktemp("sound") / "c", Recipe(blocks=1, seconds=1.0))


@pytest.fixture(scope="module")
def tar(sound: store.Campaign, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    place = tmp_path_factory.mktemp("tar") / "c.tar.gz"
    write_bundle(sound.folder, "<page>", Origin(None, None), place)
    return gzip.decompress(place.read_bytes())


def unpack(place: Path) -> None:
    with one_line(), opened(place) as folder:
        made_otherwise(folder)
        store.load_campaign(folder)


@thoroughly
@given(content=some.binary(max_size=2000))
def test_any_bytes_as_a_bundle(tmp_path: Path, content: bytes) -> None:
    for packed in (content, gzip.compress(content)):
        (tmp_path / "c.tar.gz").write_bytes(packed)
        unpack(tmp_path / "c.tar.gz")
    assert [path.name for path in tmp_path.iterdir()] == ["c.tar.gz"]


@thoroughly
@given(
    edits=EDITS,
    field=some.tuples(some.integers(0, 40), some.sampled_from([0, 100, 124, 156, 157, 257, 345]), PIECES),
)
def test_any_bytes_within_a_bundle(
    tmp_path: Path, tar: bytes, edits: Any, field: tuple[int, int, bytes]
) -> None:
    """Anywhere, and in the fields of a header: name, mode, size, type, link, magic, prefix."""
    member, offset, put = field
    start = (member * 512 + offset) % len(tar)
    for content in (edited(tar, edits), tar[:start] + put + tar[start + len(put) :]):
        (tmp_path / "c.tar.gz").write_bytes(gzip.compress(content, 1))
        unpack(tmp_path / "c.tar.gz")
    assert [path.name for path in tmp_path.iterdir()] == ["c.tar.gz"]


@thoroughly
@given(edits=EDITS)
def test_any_bytes_as_a_plan(tmp_path: Path, edits: Any) -> None:
    (tmp_path / "mine.toml").write_bytes(edited((SOUND + STUDY).encode(), edits))
    with one_line():
        made(str(tmp_path / "mine.toml"))


@thoroughly
@given(edits=EDITS)
def test_any_bytes_as_samples(tmp_path: Path, sound: store.Campaign, edits: Any) -> None:
    path = tmp_path / "samples.parquet"
    path.write_bytes(edited(sound.runs[0].samples_path.read_bytes(), edits))
    with one_line():
        reading.read(path, sound.runs[0].record.channels)


@thoroughly
@given(edits=EDITS)
@example(edits=[(0.28110317345590646, 0, b"\x06")])  # a look that names a stack beyond those that there are
def test_any_bytes_as_stacks(tmp_path: Path, edits: Any) -> None:
    stacks_file.write(tmp_path, SeenStacks([1, 2, 3], ["a (x.py)", "a (x.py);b (y.py)", "a (x.py)"]))
    path = tmp_path / stacks_file.STACKS_FILE
    path.write_bytes(edited(path.read_bytes(), edits))
    with one_line():
        stacks_file.read(tmp_path)


@contextmanager
def replaced(path: Path, content: bytes) -> Iterator[None]:
    before = path.read_bytes()
    path.write_bytes(content)
    try:
        yield
    finally:
        path.write_bytes(before)


@thoroughly
@given(edits=EDITS, whole=some.booleans())
def test_any_bytes_as_a_record(sound: store.Campaign, edits: Any, whole: bool) -> None:
    path = sound.folder / store.CAMPAIGN_FILE if whole else sound.runs[0].folder / store.RUN_FILE
    with replaced(path, edited(path.read_bytes(), edits)), one_line():
        store.load_campaign(sound.folder)


def places(content: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a JSON value: what holds it, and its key there."""
    keys = (
        content.keys()
        if isinstance(content, dict)
        else range(len(content))
        if isinstance(content, list)
        else ()
    )
    for key in list(keys):
        yield content, key
        yield from places(content[key])


@thoroughly
@given(value=VALUES, which=some.floats(0, 1, exclude_max=True), whole=some.booleans())
def test_any_value_in_a_record(sound: store.Campaign, value: Any, which: float, whole: bool) -> None:
    path = sound.folder / store.CAMPAIGN_FILE if whole else sound.runs[0].folder / store.RUN_FILE
    record = json.loads(path.read_text())
    found = list(places(record))
    holder, key = found[int(which * len(found))]
    holder[key] = value
    with replaced(path, json.dumps(record).encode()), one_line():
        store.load_campaign(sound.folder)
