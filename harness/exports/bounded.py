"""A stream that ends in an error before it gives more than may be taken: packed, a few bytes stand for any number."""

from __future__ import annotations

import io
from gzip import GzipFile

PIECE_BYTES = 1 << 16  # at once: no header of an archive is longer


class Beyond(ValueError):
    """There is more than may be taken."""


class Bounded(io.RawIOBase):
    """Reads and seeks as tarfile does. Raises: Beyond `at_most_bytes`, ValueError for a piece too large."""

    def __init__(self, file: GzipFile, at_most_bytes: int) -> None:
        self._file, self._at_most = file, at_most_bytes

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._file.tell()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """From the start, as all that an archive asks for."""
        if whence != io.SEEK_SET:
            raise io.UnsupportedOperation("only from the start")
        self._require(offset)
        return self._file.seek(offset)

    def read(self, size: int | None = -1) -> bytes:
        if size is None or not 0 <= size <= PIECE_BYTES:
            raise ValueError(f"{size} bytes at once, more than the {PIECE_BYTES} that a header may have")
        self._require(self.tell() + size)
        return self._file.read(size)

    def _require(self, position: int) -> None:
        if position > self._at_most:
            raise Beyond(f"it unpacks to more than the {self._at_most} bytes that are read of such a file")
