"""The sampling process: reads every meter on its own absolute schedule and writes while it goes.

Started once per campaign, `python -m harness.sampling.server`, and told what to do over its standard input, one JSON
line a command, each answered by one JSON line; end of file ends it. It imports no more than it needs: it must stay
small.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness import meters
from harness.errors import DISK_ERRORS
from harness.meters.background import BackgroundReader
from harness.meters.base import Meter, MeterLost, Readings, Stamped
from harness.records import PowerModel
from harness.sampling.recording import Recording


class Server:
    """Obeys the harness: begin, attach, sample, latest, end; and look, between recordings."""

    def __init__(self, config: dict[str, Any]) -> None:
        if config["cpus"]:
            os.sched_setaffinity(0, config["cpus"])
        power_model = PowerModel.model_validate(config["power_model"])
        self._found = meters.offered(meters.configuration(power_model, config["boundary"])).found
        self._looking: dict[Meter, BackgroundReader] = {}  # between two recordings
        self._period_s: float = config["period_s"]
        self._recording: Recording | None = None
        self._full: OSError | None = None  # the disk could not take the samples; until the next recording

    def serve(self) -> None:
        for command in self._commands():
            answer = self._obey(command)
            try:
                print(json.dumps(answer), flush=True)  # noqa: T201 - the wire to the harness
            except BrokenPipeError:  # the harness is gone
                os._exit(1)

    def _obey(self, command: dict[str, Any]) -> dict[str, Any]:
        """A disk that is full is for the harness to tell."""
        answer: dict[str, Any] = {}
        if command["do"] == "begin":
            self._full = None
        if self._full is None:
            with self._disk_errors():
                answer = getattr(self, f"do_{command['do']}")(**command.get("with", {})) or {}
        return {"errno": self._full.errno, "error": self._full.strerror} if self._full else answer

    @contextmanager
    def _disk_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno not in DISK_ERRORS:
                raise
            self._recording, self._full = None, error

    def _commands(self) -> Iterator[dict[str, Any]]:
        """Commands as they come; between them, samples as they fall due."""
        while True:
            wait_s = self._recording.wait_s() if self._recording else None
            if select.select([sys.stdin], [], [], wait_s)[0]:
                if not (line := sys.stdin.readline()):
                    return
                yield json.loads(line)
            elif self._recording:
                with self._disk_errors():
                    self._recording.sample_due()

    def do_begin(self, path: str) -> None:
        self._looking.clear()
        self._recording = Recording(Path(path), self._found, self._period_s)
        self._recording.sample()

    def do_attach(self, pid: int) -> None:
        assert self._recording
        self._recording.open(pid)
        self._recording.await_first()
        self._recording.sample()

    def do_sample(self) -> None:
        assert self._recording
        self._recording.sample()

    def do_latest(self) -> dict[str, tuple[int, float]]:
        """What was read last; reads nothing, so that who watches costs the measurement one line."""
        assert self._recording
        return self._recording.latest()

    def do_look(self) -> dict[str, Any]:
        """A single reading of the machine's meters, outside any recording."""
        readings: Readings = {}
        for meter in (one for one in self._found if not one.needs_process):
            with contextlib.suppress(MeterLost):  # the next recording says so
                readings |= self._look(meter)
        late = {name: (value.t_ns, value) for name, value in readings.items() if isinstance(value, Stamped)}
        return {"t_ns": time.monotonic_ns(), "readings": readings, "late": late}

    def _look(self, meter: Meter) -> Readings:
        """What answers late is asked until the next recording begins."""
        reader = self._looking.get(meter) or meter.open(None)
        if not isinstance(reader, BackgroundReader):
            return reader()
        self._looking[meter] = reader
        return reader.newest()

    def do_end(self) -> dict[str, Any]:
        assert self._recording
        answer, self._recording = self._recording.close(), None
        return answer


if __name__ == "__main__":
    Server(json.loads(sys.argv[1])).serve()
