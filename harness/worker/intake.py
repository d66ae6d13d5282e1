"""What a worker leaves behind by one of its pipes, as the harness takes it in: up to a bound, into a file."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from harness.errors import SuiteError
from suite.protocol import Pipe


class OutputRefused(SuiteError):
    """The worker's output passes what the plan allows, or lies where it cannot be put."""


class Intake:
    """Of at most so many bytes. No file is made where nothing comes. To be closed when the run has ended."""

    def __init__(self, pipe: Path, place: Path, most_bytes: int) -> None:
        self.pipe = Pipe(pipe)
        self._place, self._most_bytes = place, most_bytes
        self._taken = 0
        self._file: BinaryIO | None = None

    def take(self) -> None:
        """Takes in what has come. Raises: OutputRefused."""
        if not (content := self.pipe.read()):
            return
        self._taken += len(content)
        if self._taken > self._most_bytes:
            raise OutputRefused(
                f"its {self._place.name}: larger than the {self._most_bytes} bytes of the plan's output_bytes"
            )
        file = self._open()
        file.write(content)
        file.flush()

    def _open(self) -> BinaryIO:
        if self._file is None:
            try:
                self._file = self._place.open("xb")
            except FileExistsError:
                raise OutputRefused(f"{self._place} was there before the worker left it") from None
        return self._file

    def close(self) -> None:
        self.pipe.close()
        if self._file is not None:
            self._file.close()
