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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import meters
from harness.errors import DISK_ERRORS
from harness.meters.base import Meter, MeterLost, Reader, Readings
from harness.records import PowerModel
from harness.sampling.writing import Spool

KIB = 1024


@dataclass
class Slot:
    """One open meter and its place in the schedule: reading `tick` is due at start + tick x period."""

    meter: Meter
    read: Reader
    period_s: float
    start: float
    tick: int = 0
    last: tuple[int, Readings] = (0, {})  # when it was read, and what it said

    @property
    def due(self) -> float:
        return self.start + self.tick * self.period_s

    def advance(self) -> None:
        """To the next place that is still to come: a late reading shifts no later one."""
        late = int((time.monotonic() - self.start) / self.period_s)
        self.tick = max(self.tick, late) + 1


class Recording:
    """The sampling of one run."""

    def __init__(self, path: Path, found: tuple[Meter, ...], period_s: float) -> None:
        self._found, self._period_s = found, period_s
        self._spool = Spool(path, [channel.name for meter in found for channel in meter.channels])
        self._slots: list[Slot] = []
        self._lost: list[dict[str, str]] = []
        self._cpu_began_s = time.process_time()
        self.open(None)

    def open(self, pid: int | None) -> None:
        """Opens the meters of the machine, or those of the run's processes once there is a pid."""
        start = time.monotonic()
        for meter in self._found:
            if meter.needs_process is (pid is not None):
                period_s = max(self._period_s, meter.period_s or 0)
                self._slots.append(Slot(meter, meter.open(pid), period_s, start))

    def sample(self) -> None:
        """Everything now: the borders of the measured window must be enclosed by readings."""
        for slot in list(self._slots):
            self._read(slot)

    def sample_due(self) -> None:
        now = time.monotonic()
        for slot in [one for one in self._slots if one.due <= now]:
            self._read(slot)
            slot.advance()
        self._spool.flush_if_due()

    def _read(self, slot: Slot) -> None:
        before_ns = time.monotonic_ns()
        try:
            readings = slot.read()
        except MeterLost as error:
            self._slots.remove(slot)
            self._lost.append({"meter": slot.meter.channels[0].meter, "reason": str(error)})
            return
        slot.last = (before_ns + time.monotonic_ns()) // 2, readings
        self._spool.add(*slot.last)

    def latest(self) -> dict[str, tuple[int, float]]:
        """By channel, CLOCK_MONOTONIC ns and value of its last reading; a channel that fell silent is left out."""
        return {
            name: (getattr(value, "t_ns", t_ns), value)
            for t_ns, readings in (slot.last for slot in self._slots)
            for name, value in readings.items()
        }

    def wait_s(self) -> float | None:
        return max(0.0, min(slot.due for slot in self._slots) - time.monotonic()) if self._slots else None

    def close(self) -> dict[str, Any]:
        self.sample()
        self._spool.close()
        return {
            "lost": self._lost,
            "cpu_s": time.process_time() - self._cpu_began_s,
            "memory_peak_bytes": _peak_bytes(),
        }


def _peak_bytes() -> int:
    """VmHWM of proc(5); ru_maxrss of getrusage(2) would include what the harness held when it started us."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * KIB for line in lines if line.startswith("VmHWM:"))


class Server:
    """Obeys the harness: begin, attach, sample, latest, end; and look, between recordings."""

    def __init__(self, config: dict[str, Any]) -> None:
        if config["cpus"]:
            os.sched_setaffinity(0, config["cpus"])
        power_model = PowerModel.model_validate(config["power_model"])
        self._found = meters.find_all(meters.settings(power_model)).found
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
        self._recording = Recording(Path(path), self._found, self._period_s)
        self._recording.sample()

    def do_attach(self, pid: int) -> None:
        assert self._recording
        self._recording.open(pid)
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
        readings: dict[str, float] = {}
        for meter in (one for one in self._found if not one.needs_process):
            with contextlib.suppress(MeterLost):  # the next recording says so
                readings |= meter.open(None)()
        return {"t_ns": time.monotonic_ns(), "readings": readings}

    def do_end(self) -> dict[str, Any]:
        assert self._recording
        answer, self._recording = self._recording.close(), None
        return answer


if __name__ == "__main__":
    Server(json.loads(sys.argv[1])).serve()
