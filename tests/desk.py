"""The host's side of one worker, for tests that need no campaign: its folder, its events, what it leaves behind."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness.environments.base import Job
from harness.records import Limits
from harness.store import CONSOLE_FILE
from harness.worker.follow import EventTail
from harness.worker.run_folder import OUTPUT_FILE, RunFolder
from suite.protocol import Event, Request

OUTPUT_BYTES = 1 << 30


class Desk:
    """A run's folder at `place`, held until `close`."""

    def __init__(self, place: Path, request: Request) -> None:
        self.place = place
        self.folder = RunFolder(place, request, OUTPUT_BYTES, OUTPUT_BYTES)
        self._tail = EventTail(self.folder.events, place, lambda event: None)

    def job(self, data: Path, state: Path | None = None, cpus: tuple[int, ...] = (0,)) -> Job:
        return Job(
            run_id=self.place.name,
            console=self.place / CONSOLE_FILE,
            request=self.folder.request,
            worker=self.folder.worker,
            data=data,
            state=state,
            cpus=cpus,
            limits=Limits(),
        )

    def take_in(self) -> None:
        self._tail.poll()
        self.folder.take_output()

    @property
    def events(self) -> list[Event]:
        """All that came until now."""
        self.take_in()
        return [one.event for one in self._tail.told]

    @property
    def output(self) -> Path:
        """What the worker left behind; no file if it left nothing."""
        self.take_in()
        return self.place / OUTPUT_FILE

    def run(
        self, command: Sequence[Any], timeout_s: float = 300, **options: Any
    ) -> subprocess.CompletedProcess[str]:
        """Has a process write as much as it likes, to its end."""
        with (self.place / "out").open("w+") as out, (self.place / "err").open("w+") as err:
            process = subprocess.Popen([str(word) for word in command], stdout=out, stderr=err, **options)
            end_s = time.monotonic() + timeout_s
            while process.poll() is None:
                assert time.monotonic() < end_s, "it does not end"
                self.take_in()
                time.sleep(0.005)
            self.take_in()
            texts = [file.seek(0) or file.read() for file in (out, err)]
        return subprocess.CompletedProcess(command, process.returncode, *texts)

    def close(self) -> None:
        self._tail.close()
        self.folder.close()
