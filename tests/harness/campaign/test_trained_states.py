"""A trained state is plain arrays of the workload's names and shapes; anything else is the fault of who left it."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from harness.campaign.trained_states import problem
from harness.files import array_files
from suite.protocol import Pipe, output

ARRAYS = {"w": np.zeros((3, 4), np.float32), "b": np.arange(4), "n": np.float64(2.0)}
SHAPES = {"w": (3, 4), "b": (4,), "n": ()}


def test_what_a_worker_streams_is_a_state(tmp_path: Path) -> None:
    pipe = Pipe(tmp_path / "output")
    with output(tmp_path) as stream:
        np.savez(stream, **ARRAYS)
    (tmp_path / "state").write_bytes(pipe.read())
    pipe.close()
    assert problem(tmp_path / "state") == problem(tmp_path / "state", SHAPES) == ""


def state(tmp_path: Path, **arrays: object) -> Path:
    with (tmp_path / "state").open("wb") as file:
        np.savez(file, **arrays)
    return tmp_path / "state"


@pytest.mark.parametrize(
    "arrays",
    [{"w": ARRAYS["w"]}, {**ARRAYS, "more": np.zeros(1)}, {**ARRAYS, "w": np.zeros((4, 3))}, {}],
    ids=["too few", "too many", "another shape", "none"],
)
def test_other_arrays_than_the_workload_s_are_no_state_of_it(
    tmp_path: Path, arrays: dict[str, object]
) -> None:
    assert problem(state(tmp_path, **arrays), SHAPES).startswith("it left a trained state")


def test_an_array_of_objects_is_none(tmp_path: Path) -> None:
    assert "object" in problem(state(tmp_path, w=np.array([{}, []], dtype=object)))
    assert "cannot be read" in problem(state(tmp_path, w=np.array(["text"])))


@pytest.mark.parametrize("content", [b"", b"state", b"PK\x03\x04" * 100, bytes(1000)])
def test_no_bytes_whatever_are_taken_for_one(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "state").write_bytes(content)
    assert "cannot be read" in problem(tmp_path / "state")


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_a_bomb_is_not_unpacked(tmp_path: Path, method: int) -> None:
    packed = io.BytesIO()
    np.save(packed, np.zeros(10_000_000))
    with zipfile.ZipFile(tmp_path / "state", "w", method) as archive:
        archive.writestr("w.npy", packed.getvalue())
    assert "no plain array" in problem(tmp_path / "state")


def test_an_array_that_says_it_is_larger_than_its_file_is_none(tmp_path: Path) -> None:
    packed = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        packed, {"descr": "<f8", "fortran_order": False, "shape": (1 << 40,)}
    )
    with zipfile.ZipFile(tmp_path / "state", "w") as archive:
        archive.writestr("w.npy", packed.getvalue())
    assert "not as large as it says" in problem(tmp_path / "state")


def made_up(tmp_path: Path, header: bytes, encrypted: bool = False) -> Path:
    """An archive of one array with this header."""
    content = b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header + bytes(4)
    with zipfile.ZipFile(tmp_path / "state", "w") as archive:
        archive.writestr("a.npy", content)
    if encrypted:
        whole = bytearray((tmp_path / "state").read_bytes())
        whole[6] |= 1
        whole[whole.find(b"PK\1\2") + 8] |= 1
        (tmp_path / "state").write_bytes(whole)
    return tmp_path / "state"


HEADERS = {
    "cut short": b"{'descr': (\n",
    "nested": b"-" * 9000 + b"1",
    "no hash": b"{[]: 1}\n",
    "mixed keys": b"{1: 1, 'a': 2}\n",
    "no type": b"{'descr': (), 'fortran_order': False, 'shape': ()}\n",
    "no dict": b"5\n",
    "a terminal's command": b"'\\x1b\x07\n",
}


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
def test_whatever_numpy_raises_of_a_header_is_the_worker_s_fault(tmp_path: Path, header: bytes) -> None:
    told = problem(made_up(tmp_path, header))
    assert told.startswith("it left a trained state that cannot be read: ") and told.isprintable()


def test_an_encrypted_one_cannot_be_read(tmp_path: Path) -> None:
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': ()}\n"
    assert problem(made_up(tmp_path, header)) == ""
    assert "cannot be read" in problem(made_up(tmp_path, header, encrypted=True))


def test_a_directory_without_end_takes_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_files, "MOST_MEMORY_BYTES", 8 << 20)
    with zipfile.ZipFile(tmp_path / "state", "w") as archive:
        for number in range(60_000):
            archive.writestr(f"{number}.npy", b"")
    assert "cannot be read" in problem(tmp_path / "state")
