"""Whether a .pyc is what its source compiles to. Nothing of the .pyc is run, or even loaded: it is read as data.

Two compilations of one source may differ in which objects they share, so that bytes are compared first and structures
then. The format is CPython's Python/marshal.c, the same for 3.11 to 3.13. Stdlib only: run as a program, it says what
another Python makes of sources.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import marshal
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

HEADER_BYTES = 16
SHARED = 0x80  # FLAG_REF: the object may be referred to later
SINGLES = b"NFT.S0"
LITERALS = {ord("i"): 4, ord("g"): 8, ord("y"): 16}
LONG_TEXTS, SHORT_TEXTS = b"sutaA", b"zZ"
TEXTS = b"utaAzZ"  # how a string is stored says nothing of what it is
MOST_BYTES = 8 << 20  # of one file that is read as a structure
CODE_NUMBERS, OBJECTS_BEFORE_LINE, OBJECTS_AFTER = 5, 8, 2


def compiles_here(pyc: bytes) -> bool:
    """Whether it is of a Python like this one."""
    return pyc[:4] == importlib.util.MAGIC_NUMBER


def is_of(pyc: bytes, source: bytes, name: str) -> bool:
    """Whether a .pyc holds what this Python makes of a source under this name.

    The source is compiled here: it must be a trusted one.
    """
    found, wanted = pyc[HEADER_BYTES:], compiled(source, name)
    return bool(wanted) and (found == wanted or structure(found) == structure(wanted) != "")


def compiled(source: bytes, name: str) -> bytes:
    """What follows the header of a .pyc; empty for a source that does not compile."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return marshal.dumps(compile(source, name, "exec", dont_inherit=True))
        except (SyntaxError, ValueError):
            return b""


def structure(data: bytes) -> str:
    """A hash of what a marshalled code object says; empty where it is none."""
    if len(data) > MOST_BYTES:
        return ""
    reader = _Reader(data)
    try:
        found = reader.object()
    except (ValueError, RecursionError):
        return ""
    return found.hex() if reader.place == len(data) else ""


class _Reader:
    """Objects to hashes, so that one that is referred to a thousand times costs no more than one."""

    def __init__(self, data: bytes) -> None:
        self._data, self.place = data, 0
        self._seen: list[bytes] = []

    def object(self) -> bytes:
        """Raises: ValueError for what bytecode does not hold."""
        code = self._take(1)[0]
        kind = code & ~SHARED
        if kind == ord("r"):
            return self._referred(self._number())
        index = len(self._seen)
        if code & SHARED:
            self._seen.append(b"")  # it counts from where it begins
        found = self._hashed(kind)
        if code & SHARED:
            self._seen[index] = found
        return found

    def _referred(self, index: int) -> bytes:
        if index >= len(self._seen) or not self._seen[index]:
            raise ValueError("a reference to what is not there")
        return self._seen[index]

    def _hashed(self, kind: int) -> bytes:
        if kind == ord(">"):
            return _digest(b">", *sorted(self._objects(self._number())))
        name = b"text" if kind in TEXTS else b"(" if kind == ord(")") else bytes([kind])
        return _digest(name, *self._parts(kind))

    def _parts(self, kind: int) -> list[bytes]:
        if kind in SINGLES:
            return []
        if kind in LITERALS:
            return [self._take(LITERALS[kind])]
        if kind in SHORT_TEXTS:
            return [self._take(self._take(1)[0])]
        if kind in LONG_TEXTS:
            return [self._take(self._number())]
        compound: dict[int, Callable[[], list[bytes]]] = {
            ord("l"): self._long,
            ord("("): lambda: self._objects(self._number()),
            ord(")"): lambda: self._objects(self._take(1)[0]),
            ord("c"): self._code,
        }
        if kind not in compound:
            raise ValueError(f"no constant of bytecode: {kind}")
        return compound[kind]()

    def _code(self) -> list[bytes]:
        numbers = [self._take(4) for _ in range(CODE_NUMBERS)]
        before = self._objects(OBJECTS_BEFORE_LINE)
        return [*numbers, *before, self._take(4), *self._objects(OBJECTS_AFTER)]

    def _long(self) -> list[bytes]:
        size = self._take(4)
        return [size, self._take(2 * abs(int.from_bytes(size, "little", signed=True)))]

    def _objects(self, count: int) -> list[bytes]:
        return [self.object() for _ in range(count)]

    def _number(self) -> int:
        return int.from_bytes(self._take(4), "little")

    def _take(self, count: int) -> bytes:
        found = self._data[self.place : self.place + count]
        if len(found) < count:
            raise ValueError("cut short")
        self.place += count
        return found


def _digest(*parts: bytes) -> bytes:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(len(part).to_bytes(8, "little") + part)
    return whole.digest()


def main(folder: Path) -> None:
    """Prints the structure of each source that `names.json` lists, a line each, in its order."""
    for number, name in enumerate(json.loads((folder / "names.json").read_text())):
        print(structure(compiled((folder / str(number)).read_bytes(), name)))  # noqa: T201 - read by the harness


if __name__ == "__main__":
    main(Path(sys.argv[1]))
