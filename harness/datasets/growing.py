"""A .npy file that grows by rows, so that an array need never be whole in memory."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

import numpy as np
import numpy.typing as npt

from harness.datasets.base import Array


class GrowingArray:
    """A context: without an error inside, the file is whole after it."""

    def __init__(self, path: Path, dtype: npt.DTypeLike, row: tuple[int, ...] = ()) -> None:
        self.dtype, self.row, self.length = np.dtype(dtype), row, 0
        self._file = path.open("wb")
        self._write_header()

    def append(self, rows: npt.ArrayLike) -> None:
        """Rows [n, *row]."""
        array: Array = np.ascontiguousarray(rows, self.dtype)
        assert array.shape[1:] == self.row
        array.tofile(self._file)
        self.length += len(array)

    def _write_header(self) -> None:
        """As long at the end as at first: NumPy leaves room for the number of rows to grow."""
        described = {
            "descr": np.lib.format.dtype_to_descr(self.dtype),
            "fortran_order": False,
            "shape": (self.length, *self.row),
        }
        self._file.seek(0)
        np.lib.format.write_array_header_1_0(self._file, described)

    def __enter__(self) -> GrowingArray:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._file:
            if error is None:
                self._write_header()
