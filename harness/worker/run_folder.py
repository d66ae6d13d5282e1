"""One run's folder: what the harness keeps to itself, and beside it the little that a worker gets to see.

<run>/              the harness alone: events.jsonl, console.log, samples.parquet, run.json
      request/      read only for the worker: request.json and its lease
      worker/       the worker's ends of its pipes; a container sees these pipes alone, not even the folder
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from harness.errors import SuiteError
from harness.files.removing import remove
from suite.protocol import EVENTS, OUTPUT, REQUEST_FILE, LeaseHolder, Pipe, Request

REQUEST, WORKER = "request", "worker"
OUTPUT_FILE = "output"  # what the worker left behind, as the harness took it in


class OutputRefused(SuiteError):
    """The worker's output passes what the plan allows, or lies where it cannot be put."""


class RunFolder:
    """Made for one run, which asks for no `output_bytes` or for so many at most. To be closed when it has ended."""

    def __init__(self, path: Path, request: Request, output_bytes: int = 0) -> None:
        path.mkdir(parents=True, mode=0o700)
        self.path, self._output_bytes = path, output_bytes
        for part in (self.request, self.worker):
            part.mkdir()
            part.chmod(0o755)  # whatever the umask: the worker may be another user
        request.write(self.request)
        self.lease = LeaseHolder(self.request)
        self.events = Pipe(self.worker / EVENTS)
        self._output = Pipe(self.worker / OUTPUT) if output_bytes else None
        self._taken = 0
        self._file: BinaryIO | None = None

    @property
    def request(self) -> Path:
        return self.path / REQUEST

    @property
    def worker(self) -> Path:
        return self.path / WORKER

    @property
    def pipes(self) -> list[Pipe]:
        return [self.events] if self._output is None else [self.events, self._output]

    def take_output(self) -> None:
        """Takes in what has come of the worker's output. Raises: OutputRefused."""
        if self._output is None or not (content := self._output.read()):
            return
        self._taken += len(content)
        if self._taken > self._output_bytes:
            raise OutputRefused(
                f"its output is larger than {self._output_bytes} bytes (output_bytes of the plan)"
            )
        file = self._open_output()
        file.write(content)
        file.flush()

    def _open_output(self) -> BinaryIO:
        if self._file is None:
            try:
                self._file = (self.path / OUTPUT_FILE).open("xb")
            except FileExistsError:
                raise OutputRefused(
                    f"{self.path / OUTPUT_FILE} was there before the worker left it"
                ) from None
        return self._file

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Lets the lease go, keeps the request among the run's files, and removes what the worker saw."""
        self.lease.close()
        for pipe in self.pipes:
            pipe.close()
        if self._file is not None:
            self._file.close()
        if (self.request / REQUEST_FILE).exists():
            (self.request / REQUEST_FILE).replace(self.path / REQUEST_FILE)
        for part in (self.request, self.worker):
            remove(part)
