"""The wire between the host and the container: stdlib only, the one module both sides rely on byte for byte.

The host writes `request.json` and a FIFO `lease` into the run folder; the worker answers by appending JSON
lines to `events.jsonl`. Time stamps are CLOCK_MONOTONIC nanoseconds, which a container shares with its host.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

VERSION = 1  # 1: first format. Readers refuse any other.

REQUEST_FILE = "request.json"
EVENTS_FILE = "events.jsonl"
LEASE_FILE = "lease"
STATE_FILE = "state.npz"
PROOF_FILE = "proof.json"

GO = b"g"  # the samplers run: begin
BYE = b"b"  # the last samples are taken: end
# Stages that no plan names: they measure the machine, warm its caches, prove equal work.
CONTROL, REHEARSAL, PROOF = "control", "rehearsal", "proof"
PROOF_STEPS = "proof_steps"  # among a proof's settings: steps of each trace, else as many as the spec says
EXIT_FAILED = 1
EXIT_LEASE_LOST = 75  # EX_TEMPFAIL: the harness died, so nobody wants this result


class ProtocolError(ValueError):
    """A record that this version of the protocol cannot read."""


@dataclass(frozen=True)
class Request:
    """What one run shall do. `settings` override fields of the workload's spec; `threads` is a count."""

    run_id: str
    workload: str
    framework: str
    stage: str
    dataset: str
    seed: int
    device: str = "cpu"
    dtype: str = "float32"
    threads: int = 1
    keep_state: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    version: int = VERSION

    def write(self, folder: Path) -> None:
        (folder / REQUEST_FILE).write_text(json.dumps(asdict(self), indent=1))

    @classmethod
    def read(cls, folder: Path) -> Request:
        record = json.loads((folder / REQUEST_FILE).read_text())
        if record.get("version") != VERSION:
            raise ProtocolError(f"request of version {record.get('version')}, this worker speaks {VERSION}")
        return cls(**record)


@dataclass(frozen=True)
class Event:
    """One line of `events.jsonl`.

    kinds: `ready` · `phase` (name, edge, epoch) · `facts` (versions, threads, build, mode) · `work` (samples, steps,
    parameters, flops_per_step, data_bytes) · `metrics` (epoch, values) · `usage` (cpu_s, memory_peak_bytes) ·
    `failed` (error) · `done`.
    """

    t_ns: int
    kind: str
    data: Mapping[str, Any] = field(default_factory=dict)


class EventWriter:
    """Appends events; one `write` a line, so that a reader never sees two lines mixed."""

    def __init__(self, folder: Path) -> None:
        self._fd = os.open(folder / EVENTS_FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def send(self, kind: str, **data: Any) -> None:
        record = {"t_ns": time.monotonic_ns(), "kind": kind, **data}
        os.write(self._fd, json.dumps(record).encode() + b"\n")

    @contextmanager
    def phase(self, name: str, epoch: int | None = None) -> Iterator[None]:
        """Marks an interval; the caller has brought the device to rest before it leaves the block (rule R20)."""
        self.send("phase", name=name, edge="begin", epoch=epoch)
        yield
        self.send("phase", name=name, edge="end", epoch=epoch)


def read_events(path: Path) -> list[Event]:
    """All whole events of a file, none if there is no file; a line that a full disk cut short is left out."""
    if not path.exists():
        return []
    lines = path.read_bytes().split(b"\n")
    return [event for line in lines[:-1] if (event := parse_event(line)) is not None]


def parse_event(line: bytes) -> Event | None:
    """One line; None if it is not a whole event."""
    try:
        record = json.loads(line)
        return Event(record.pop("t_ns"), record.pop("kind"), record)
    except (ValueError, KeyError, AttributeError, TypeError):
        return None


class Lease:
    """The worker's end of the FIFO: a byte says go, another bye; end of file says that the host is gone."""

    def __init__(self, folder: Path) -> None:
        # Not blocking, so that a harness that died before this line gives end of file instead of a wait for ever.
        self._fd = os.open(folder / LEASE_FILE, os.O_RDONLY | os.O_NONBLOCK)
        os.set_blocking(self._fd, True)
        self._dismissed = threading.Event()

    def wait_for_go(self) -> None:
        self._expect(GO)
        threading.Thread(target=self._watch, daemon=True).start()

    def wait_for_bye(self) -> None:
        """Stays alive until the host has read the counters that vanish with this process."""
        self._dismissed.wait()

    def _watch(self) -> None:
        self._expect(BYE)
        self._dismissed.set()

    def _expect(self, byte: bytes) -> None:
        if os.read(self._fd, 1) != byte:
            os._exit(EXIT_LEASE_LOST)


class LeaseHolder:
    """The host's end. Opened for reading and writing, so that opening never blocks and death closes it."""

    def __init__(self, folder: Path) -> None:
        path = folder / LEASE_FILE
        os.mkfifo(path, 0o644)
        self._fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)

    def go(self) -> None:
        os.write(self._fd, GO)

    def bye(self) -> None:
        os.write(self._fd, BYE)

    def close(self) -> None:
        os.close(self._fd)
