"""Byte pairs: any bytes are read again as they were, nothing is unknown, and the same text teaches the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness import paths
from harness.datasets import byte_pairs, merges
from harness.datasets.byte_pairs import UNKNOWN, BytePairs
from harness.errors import DataError

TEXT = b" = the cat = \n \n the cat sees the mouse 's house , 1999 @-@ 2000 . \n" * 9
VOCABULARY = 290
LEARN = "import sys; from pathlib import Path; from harness.datasets import byte_pairs as b; " + (
    "b.learn(b.count(Path(sys.argv[1]).read_bytes().splitlines(True)), int(sys.argv[2]), Path(sys.argv[3]))"
)


def learnt(folder: Path, text: bytes = TEXT, vocabulary: int = VOCABULARY) -> Path:
    byte_pairs.learn(byte_pairs.count([text]), vocabulary, folder / "model")
    return folder / "model"


@cache
def pairs() -> BytePairs:
    with TemporaryDirectory() as folder:
        return BytePairs(learnt(Path(folder)))


@settings(deadline=None)
@given(st.binary(max_size=300) | st.text(max_size=100).map(str.encode))
@example(b"")
@example(bytes(range(256)))
@example(b"\0\xff\xfe\xc3 \xed\xa0\x80")
@example("\ufeffthe cat\r\n\u2581 <unk> \U0001f9d1\u200d\U0001f33e \t\t the\x0b".encode())
@example(b"x" * 1000 + b" " * 1000)
def test_any_bytes_are_read_again_and_none_is_unknown(text: bytes) -> None:
    numbers = pairs().numbers(text)
    assert pairs().text(numbers) == text
    assert numbers.dtype == np.uint16 and not (numbers == UNKNOWN).any() and (numbers < VOCABULARY).all()


@settings(deadline=None)
@given(st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"") + b"\n"), max_size=5))
@example([b"the\t\n", b"\n", b" \t\n"])
def test_where_a_piece_of_text_ends_does_not_matter(lines: list[bytes]) -> None:
    apart = [number for line in lines for number in pairs().numbers(line).tolist()]
    assert pairs().numbers(b"".join(lines)).tolist() == apart
    assert byte_pairs.count(lines) == byte_pairs.count([b"".join(lines)])


def test_frequent_words_are_one_token_and_no_token_spans_two() -> None:
    tokens = [pairs().text(pairs().numbers(TEXT)[place : place + 1]) for place in range(9)]
    assert tokens[:8] == [b" =", b" the", b" cat", b" =", b" \n", b" \n", b" the", b" cat"]
    assert len(pairs().numbers(b" the cat" * 50)) == 100


def test_the_same_text_teaches_the_same_bytes_in_any_process_and_in_any_order(tmp_path: Path) -> None:
    lines = [b" %d birds and %d mice \n" % (number % 7, number % 11) for number in range(300)]
    (tmp_path / "text").write_bytes(b"".join(lines))
    first = learnt(tmp_path, b"".join(lines), 280).read_bytes()
    assert learnt(tmp_path, b"".join(lines[::-1]), 280).read_bytes() == first
    assert learnt(tmp_path, TEXT, 280).read_bytes() != first
    for seed in ("1", "2"):
        command = [sys.executable, "-c", LEARN, tmp_path / "text", "280", tmp_path / seed]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run(command, cwd=paths.ROOT, env=environment, check=True)
        assert (tmp_path / seed).read_bytes() == first


@pytest.mark.parametrize("text", [b"", b"x", b"\n" * 1000, b"x" * 100_000])
def test_a_text_too_small_for_its_vocabulary_is_one_line(tmp_path: Path, text: bytes) -> None:
    with pytest.raises(DataError, match="a vocabulary of 8192 subwords cannot be learnt") as caught:
        learnt(tmp_path, text, 8192)
    assert "\n" not in str(caught.value) and not (tmp_path / "model").exists()


def test_a_model_that_lacks_a_byte_is_refused(tmp_path: Path) -> None:
    letters = "".join(chr(byte_pairs.LETTERS[byte]) for byte in b"catact")
    merges.learn([letters], 5, tmp_path / "model", bos_id=-1, eos_id=-1, add_dummy_prefix=False)
    with pytest.raises(DataError, match="does not know b'cow'"):
        BytePairs(tmp_path / "model").numbers(b"cow")
