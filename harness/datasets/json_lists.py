"""Lists that are members of one large JSON object, element by element: memory holds one of them."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from typing import IO, Any

PIECE_CHARACTERS = 1 << 20
LONGEST_ELEMENT = 1 << 24
SPACE = " \t\r\n"
OF_NUMBERS = "0123456789.eE+-"


def elements(file: IO[bytes], name: str) -> Iterator[Any]:
    """Of the list under this name; none where it is no list, or not there.

    Raises: ValueError or RecursionError for what is no JSON object in UTF-8.
    """
    text = _Text(file)
    text.expect("{")
    follows = not text.found("}")
    while follows:
        found = text.value()
        if not isinstance(found, str):
            raise ValueError(f"it has a member without a name: {found}")
        text.expect(":")
        for element in _listed(text) if text.found("[") else _nothing_of(text.value()):
            if found == name:
                yield element
        follows = text.found(",")
        if not follows:
            text.expect("}")
    text.expect("")


def _listed(text: _Text) -> Iterator[Any]:
    """What follows "[", up to its end."""
    follows = not text.found("]")
    while follows:
        yield text.value()
        follows = text.found(",")
        if not follows:
            text.expect("]")


def _nothing_of(_: object) -> Iterator[Any]:
    return iter(())


class _Text:
    """What was read, from the place `_at` on not yet understood."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._decoder = codecs.getreader("utf-8")(file), JSONDecoder()
        self._read, self._at, self._ended = "", 0, False

    def found(self, character: str) -> bool:
        """Whether this comes next, "" is the end; then it is passed."""
        if self._next() != character:
            return False
        self._at += len(character)
        return True

    def expect(self, character: str) -> None:
        if not self.found(character):
            raise ValueError(
                f"it has no '{character}' where one should be" if character else "it does not end"
            )

    def value(self) -> Any:
        self._next()
        while True:
            try:
                found, end = self._decoder.raw_decode(self._read, self._at)
                if self._ended or self._read[end : end + 1] not in OF_NUMBERS:  # not even "": it may go on
                    self._at = end
                    return found
            except JSONDecodeError:
                if self._ended or len(self._read) - self._at > LONGEST_ELEMENT:
                    raise
            self._read_on()

    def _next(self) -> str:
        """The first character that is no space; "" at the end."""
        while True:
            while self._at < len(self._read):
                if self._read[self._at] not in SPACE:
                    return self._read[self._at]
                self._at += 1
            if self._ended:
                return ""
            self._read_on()

    def _read_on(self) -> None:
        """As much again as is left, so that a long element is not tried too often."""
        left = self._read[self._at :]
        more = self._file.read(max(PIECE_CHARACTERS, len(left)))
        self._read, self._at, self._ended = left + more, 0, not more
