"""Lists of a large JSON object are read element by element, however the text is cut."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.datasets import json_lists
from harness.datasets.json_lists import elements

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    LEAVES, lambda some: st.lists(some, max_size=3) | st.dictionaries(st.text(), some, max_size=3)
)
OBJECTS = st.dictionaries(st.sampled_from(["a", "b", "é"]), st.lists(VALUES, max_size=4) | VALUES)


@given(OBJECTS, st.integers(1, 9), st.sampled_from([None, 1]), st.booleans())
def test_they_are_those_of_the_standard_library(whole, piece, indent, ascii_only) -> None:
    text = json.dumps(whole, indent=indent, ensure_ascii=ascii_only)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(json_lists, "PIECE_CHARACTERS", piece)
        for name in ("a", "b", "é", "c"):
            found = list(elements(io.BytesIO(text.encode()), name))
            assert found == (whole[name] if isinstance(whole.get(name), list) else [])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "5",
        "{",
        '{"a"',
        '{"a": [1, 2',
        '{"a": [1 2]}',
        '{"a": [1,]}',
        '{"a": 1 "b": 2}',
        "{5: [1]}x",
    ],
)
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        list(elements(io.BytesIO(text.encode()), "a"))


def test_an_element_that_is_too_long_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lists, "PIECE_CHARACTERS", 10)
    monkeypatch.setattr(json_lists, "LONGEST_ELEMENT", 100)
    file = io.BytesIO(b'{"a": ["' + b"x" * 10_000)
    with pytest.raises(ValueError, match="Unterminated"):
        list(elements(file, "a"))
    assert file.tell() < 1000


def test_nesting_without_end_is_refused() -> None:
    with pytest.raises(RecursionError):
        list(elements(io.BytesIO(b'{"a": ' + b"[" * 100_000), "a"))
