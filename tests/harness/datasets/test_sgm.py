"""Test sets of WMT are read from their SGML, sentence by sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.datasets import sgm
from harness.errors import DataError
from tests.harness.datasets import official_layout


def sentences(folder: Path, content: bytes) -> list[str]:
    (folder / "a.sgm").write_bytes(content)
    return sgm.sentences(folder / "a.sgm")


def test_the_real_test_set_comes_back_as_it_was(real: Callable[[str], Path], tmp_path: Path) -> None:
    text = (real("wmt16-en-de") / "newstest2014.de").read_bytes()
    assert "".join(f"{one}\n" for one in sentences(tmp_path, official_layout.sgm(text))).encode() == text


def test_marks_around_a_segment_may_be_written_as_they_like(tmp_path: Path) -> None:
    content = b'<DOC>\n<hl><seg id="1"> A & B </seg></hl>\n<SEG id="2">over\ntwo\xe2\x80\xa8lines</SEG></DOC>'
    assert sentences(tmp_path, content) == ["A & B", "over two lines"]


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"no segments\n", r"a\.sgm has no segments"), (b"<seg>\xff</seg>", r"a\.sgm is not UTF-8")],
)
def test_what_is_no_test_set_is_named(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(DataError, match=words):
        sentences(tmp_path, content)
