"""A pickle gives arrays of bytes and plain containers; whatever else it asks for is not run."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.datasets import pickles
from harness.errors import DataError

BATCH = {b"data": np.arange(12, dtype=np.uint8).reshape(3, 4), b"labels": [1, 2, 3]}


class Asks:
    """Pickles as a call of any function."""

    def __init__(self, function: Any, *arguments: object) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


@pytest.mark.parametrize("protocol", [3, 4])
def test_arrays_and_containers_are_read(protocol: int) -> None:
    found = pickles.load(pickle.dumps({**BATCH, b"more": (1.5, None, "text")}, protocol), "batch")
    assert np.array_equal(found[b"data"], BATCH[b"data"])
    assert found[b"data"].dtype == np.uint8
    assert found[b"labels"] == [1, 2, 3]
    assert found[b"more"] == (1.5, None, "text")


def test_the_name_of_numpy_1_and_that_of_numpy_2_are_read() -> None:
    content = pickle.dumps(BATCH, 3)
    older = content.replace(b"cnumpy._core.multiarray", b"cnumpy.core.multiarray")
    assert older != content
    assert np.array_equal(pickles.load(older, "batch")[b"data"], BATCH[b"data"])


def test_a_hostile_pickle_is_refused_in_one_line_and_does_not_run(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    content = pickle.dumps({b"data": Asks(os.system, f"touch {marker}"), b"labels": [1]})
    with pytest.raises(DataError) as caught:
        pickles.load(content, "data_batch_1")
    assert str(caught.value) == (
        "data_batch_1 is not a pickle of arrays: it asks to run posix.system, which no data file needs"
    )
    assert not marker.exists()
    pickle.loads(content)  # noqa: S301 - the same bytes are hostile indeed
    assert marker.exists()


@pytest.mark.parametrize(
    "function",
    [eval, exec, getattr, __import__, open, np.load, np.frombuffer, np.fromfile, pickle.loads, Path],
)
def test_no_other_function_is_admitted(function: Any) -> None:
    with pytest.raises(DataError, match="asks to run"):
        pickles.load(pickle.dumps(Asks(function, "1")), "batch")


def test_an_array_of_objects_is_refused() -> None:
    with pytest.raises(DataError, match="not of bytes"):
        pickles.load(pickle.dumps({b"data": np.array([{}, []], dtype=object)}), "batch")


@pytest.mark.parametrize(
    ("was", "made", "words"),
    [
        (b"K\x03K\x04\x86", b"K\x03K\x05\x86", r"holds 12 bytes for an array of shape \(3, 5\)"),
        (b"K\x03K\x04\x86", b"K\x03N\x86", r"holds 12 bytes for an array of shape \(3, None\)"),
        (b"\x89C\x0c", b"\x88C\x0c", "another form than rows of bytes"),
        (b"\x89C\x0c", b"\x89X\x0c\0\0\0", "another form than rows of bytes"),
    ],
)
def test_an_array_that_says_something_else_than_it_holds_is_refused(
    was: bytes, made: bytes, words: str
) -> None:
    content = pickle.dumps(BATCH, 3)
    assert content.count(was) == 1
    with pytest.raises(DataError, match=words):
        pickles.load(content.replace(was, made), "batch")


@pytest.mark.parametrize("content", [b"", b"not a pickle", pickle.dumps(BATCH)[:-30], b"\x80\x04\x93."])
def test_a_damaged_pickle_is_named(content: bytes) -> None:
    with pytest.raises(DataError, match="data_batch_1 is not a pickle of arrays"):
        pickles.load(content, "data_batch_1")


@given(st.integers(0, 200), st.binary(min_size=1, max_size=4), st.sampled_from([3, 4]))
def test_a_pickle_with_altered_bytes_is_read_or_refused(at: int, noise: bytes, protocol: int) -> None:
    content = pickle.dumps(BATCH, protocol)
    at %= len(content)
    try:
        pickles.load(content[:at] + noise + content[at + len(noise) :], "batch")
    except DataError as error:
        assert str(error).startswith("batch is not a pickle of arrays")
