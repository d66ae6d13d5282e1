"""However many bundles a store holds, together they take no more of the folder of temporary files than was said."""

from __future__ import annotations

import io
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.cli import at_hand as module
from harness.cli.at_hand import at_hand
from harness.errors import CampaignError, UsageError
from harness.exports.bundle import Origin, write_bundle
from harness.files import object_store
from tests.harness.cli.conftest import Answer
from tests.harness.merging.nodes import node

COUNT = 4
MIB = 1 << 20


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("one")
    write_bundle(node(place / "study", 1), "", Origin(None, None), place / "study.tar.gz")
    return place / "study.tar.gz"


@pytest.fixture
def store(bundle: Path, tmp_path: Path) -> str:
    """A folder's URL, in which the same bundle lies under several names."""
    for number in range(COUNT):
        object_store.put_new(bundle, f"file://{tmp_path}/store/{number}.tar.gz")
    return f"file://{tmp_path}/store"


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (place := tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


def taken_bytes(folder: Path) -> int:
    return sum(max(one.lstat().st_size, 512 * one.lstat().st_blocks) for one in folder.rglob("*"))


@pytest.fixture
def each_bytes(bundle: Path, temporary: Path) -> int:
    """What one takes there, unpacked."""
    with at_hand([str(bundle)], 1 << 30):
        return taken_bytes(temporary)


def test_where_there_is_room_all_are_at_hand(store: str, temporary: Path, each_bytes: int) -> None:
    with at_hand([store], (COUNT + 1) * each_bytes) as found:
        assert [name.rpartition("/")[2] for _, name in found] == [f"{n}.tar.gz" for n in range(COUNT)]
    assert list(temporary.iterdir()) == []


@given(share=st.floats(0.01, COUNT - 1))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_all_together_take_no_more_than_was_said_and_leave_nothing(
    store: str, temporary: Path, each_bytes: int, share: float
) -> None:
    with (
        pytest.raises(UsageError, match=r"store/\d\.tar\.gz take more than .* GiB .*: --most-gib .*TMPDIR"),
        at_hand([store], int(share * each_bytes)),
    ):
        pytest.fail("there is no room for all")
    assert list(temporary.iterdir()) == []


def test_bundles_of_one_s_own_take_room_too(bundle: Path, each_bytes: int) -> None:
    with pytest.raises(UsageError, match="--most-gib"), at_hand([str(bundle)] * COUNT, 2 * each_bytes):
        pytest.fail("there is no room for all")


def test_what_is_built_to_fill_a_disk_is_no_bundle_however_much_room_there_is(
    tmp_path: Path, temporary: Path
) -> None:
    with tarfile.open(bomb := tmp_path / "bomb.tar.gz", "w:gz") as archive:
        (zeros := tarfile.TarInfo("study/zeros")).size = 80 * MIB
        archive.addfile(zeros, io.BytesIO(bytes(80 * MIB)))
    with (
        pytest.raises(CampaignError, match="is not a whole bundle: it unpacks to more"),
        at_hand([f"file://{bomb}"], 1 << 40),
    ):
        pytest.fail("it is none")
    with pytest.raises(UsageError, match="--most-gib"), at_hand([f"file://{bomb}"], 20 * MIB):
        pytest.fail("there is no room")
    assert list(temporary.iterdir()) == []


def test_whoever_merges_says_how_much(
    store: str,
    suite: Callable[..., Answer],
    refused: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    for words, room in (((), "64"), (("--most-gib", 2), "2")):
        monkeypatch.setattr(module, "_bytes_in", lambda folder, gib=int(room): gib << 29)
        told = refused("merge", store, "-o", tmp_path / "all", *words)
        assert f"2.tar.gz take more than {room} GiB in the folder of temporary files" in told
    assert not (tmp_path / "all").exists()
    assert suite("merge", store, "-o", tmp_path / "all", "--most-gib", 0).code == 2
