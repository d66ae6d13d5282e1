"""One run's folder: what the harness keeps to itself, and beside it the little that a worker gets to see.

<run>/              the harness alone: events.jsonl, console.log, samples.parquet, run.json
      request/      read only for the worker: request.json and its lease
      worker/       the worker's ends of its pipes; a container sees these pipes alone, not even the folder
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from harness.files.removing import remove
from harness.worker.intake import Intake
from suite.protocol import ANSWERS, EVENTS, OUTPUT, REQUEST_FILE, LeaseHolder, Pipe, Request

REQUEST, WORKER = "request", "worker"
OUTPUT_FILE = "output"  # what the worker left behind, as the harness took it in
ANSWERS_FILE = "answers"  # those that the host judges, likewise


class RunFolder:
    """Made for one run, which asks for no `output_bytes` or for so many at most. To be closed when it has ended.

    `answers_bytes`: likewise, of what the host judges.
    """

    def __init__(self, path: Path, request: Request, output_bytes: int = 0, answers_bytes: int = 0) -> None:
        path.mkdir(parents=True, mode=0o700)
        self.path = path
        for part in (self.request, self.worker):
            part.mkdir()
            part.chmod(0o755)  # whatever the umask: the worker may be another user
        request.write(self.request)
        self.lease = LeaseHolder(self.request)
        self.events = Pipe(self.worker / EVENTS)
        asked = (OUTPUT, OUTPUT_FILE, output_bytes), (ANSWERS, ANSWERS_FILE, answers_bytes)
        self._intakes = [Intake(self.worker / name, path / file, most) for name, file, most in asked if most]

    @property
    def request(self) -> Path:
        return self.path / REQUEST

    @property
    def worker(self) -> Path:
        return self.path / WORKER

    @property
    def pipes(self) -> list[Pipe]:
        return [self.events, *(one.pipe for one in self._intakes)]

    def take_output(self) -> None:
        """Takes in what has come of what the worker leaves behind. Raises: OutputRefused."""
        for one in self._intakes:
            one.take()

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Lets the lease go, keeps the request among the run's files, and removes what the worker saw."""
        self.lease.close()
        self.events.close()
        for one in self._intakes:
            one.close()
        if (self.request / REQUEST_FILE).exists():
            (self.request / REQUEST_FILE).replace(self.path / REQUEST_FILE)
        for part in (self.request, self.worker):
            remove(part)
