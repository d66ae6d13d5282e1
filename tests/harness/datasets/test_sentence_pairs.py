"""Pairs of lines are read as they stand, and named where they are no pairs."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.datasets import sentence_pairs
from harness.errors import DataError


def read(folder: Path, source: bytes, target: bytes) -> list[sentence_pairs.Pair]:
    (folder / "a.en").write_bytes(source)
    (folder / "a.de").write_bytes(target)
    return list(sentence_pairs.read(folder / "a.en", folder / "a.de"))


def test_lines_end_with_a_line_feed_and_with_nothing_else(tmp_path: Path) -> None:
    """Other marks of a line's end stand within the sentences of the official files."""
    source = "one\u2028two\x85three\n \nlast \r\n".encode()
    assert read(tmp_path, source, b"eins\x0czwei\n\nletzte") == [
        ("one\u2028two\x85three", "eins\x0czwei"),
        ("", ""),
        ("last", "letzte"),
    ]


@pytest.mark.parametrize(("source", "target"), [(b"a\nb\n", b"a\n"), (b"a\n", b"a\nb"), (b"", b"a")])
def test_files_of_different_lengths_are_named(tmp_path: Path, source: bytes, target: bytes) -> None:
    with pytest.raises(DataError, match=r"a\.en and .*a\.de have not as many lines"):
        read(tmp_path, source, target)


def test_a_line_that_is_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"a\.de, line 2 is not UTF-8 text"):
        read(tmp_path, b"a\nb\nc\n", b"a\n\xe4\nc\n")


def test_a_pair_needs_both_its_sides() -> None:
    assert list(sentence_pairs.cleaned([("a", "b"), ("", "b"), ("a", ""), ("c", "d")])) == [
        ("a", "b"),
        ("c", "d"),
    ]
