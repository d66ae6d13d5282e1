"""The wire between the host and the container: stdlib only, the one module both sides rely on byte for byte.

A worker sees two folders. The request's is read only: `request.json`, and the FIFO `lease`. Its own holds FIFOs:
`events`, into which it writes JSON lines; `output`, into which goes what it shall leave behind; `answers`, into which
go those that the host judges. It has no file that it could write, link, or alter later. Time stamps are nanoseconds of
CLOCK_MONOTONIC, which a container shares with its host.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

VERSION = 3  # Readers refuse any other.
# 1  the worker wrote events.jsonl and its output as files, in the folder that held the request
# 2  pipes
# 3  a request may ask for a profile

REQUEST_FILE = "request.json"
LEASE = "lease"
EVENTS = "events"
OUTPUT = "output"
ANSWERS = "answers"
PIPE_BYTES = 1 << 20  # what a pipe holds before its writer waits; the most that pipe(7) grants everybody

GO = b"g"  # the samplers run: begin
BYE = b"b"  # the last samples are taken: end
# Stages that no plan names: they measure the machine, warm its caches, prove equal work.
CONTROL, REHEARSAL, PROOF = "control", "rehearsal", "proof"
PROOFS = "proofs"  # among a proof's settings: what is to be proven
STAMPS = (
    "arrived_ns",
    "first_token_ns",
    "last_token_ns",
)  # of a request that comes while others are answered
REQUESTS_PART = 2000  # of one event
FINGERPRINT_PART = 500  # epochs or passes of one event
EXIT_FAILED = 1
EXIT_LEASE_LOST = 75  # EX_TEMPFAIL: the harness died, so nobody wants this result


class ProtocolError(ValueError):
    """A record that this version of the protocol cannot read."""


@dataclass(frozen=True)
class Request:
    """What one run shall do. `settings` override fields of the workload's spec; `threads` is a count.

    `profiler`: one of suite.profilers, whose profile goes into `output`; empty for none.
    """

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
    profiler: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    version: int = VERSION

    def write(self, folder: Path) -> None:
        path = folder / REQUEST_FILE
        path.write_text(json.dumps(asdict(self), indent=1))
        path.chmod(0o644)  # whatever the umask: the worker may be another user

    @classmethod
    def read(cls, folder: Path) -> Request:
        record = json.loads((folder / REQUEST_FILE).read_text())
        if record.get("version") != VERSION:
            raise ProtocolError(f"request of version {record.get('version')}, this worker speaks {VERSION}")
        return cls(**record)


@dataclass(frozen=True)
class Event:
    """One line of the events.

    kinds: `ready` · `phase` (name, edge, epoch) · `facts` (versions, threads, build, mode) · `work` (samples, steps,
    units, parameters, flops_per_step, data_bytes, slot_steps, idle_slot_steps, padding_tokens, cache_bytes) ·
    `requests` (arrived_ns, first_token_ns, last_token_ns, of each that came while others were answered) · `metrics`
    (epoch, iterations, values) · `fingerprint` (epochs, or passes and the last one's answers) · `usage` (cpu_s,
    memory_peak_bytes, gpu_memory_peak_bytes) · `failed` (error) · `done`.
    """

    t_ns: int
    kind: str
    data: Mapping[str, Any] = field(default_factory=dict)


class EventWriter:
    """Tells the host; one `write` a line. Without a host it ends the process: nobody wants this result."""

    def __init__(self, folder: Path) -> None:
        self._fd = open_to_write(folder / EVENTS)

    def send(self, kind: str, **data: Any) -> None:
        record = {"t_ns": time.monotonic_ns(), "kind": kind, **data}
        os.write(self._fd, json.dumps(record).encode() + b"\n")

    @contextmanager
    def phase(self, name: str, epoch: int | None = None) -> Iterator[None]:
        """Marks an interval; the caller has brought the device to rest before it leaves the block (rule R20)."""
        self.send("phase", name=name, edge="begin", epoch=epoch)
        yield
        self.send("phase", name=name, edge="end", epoch=epoch)


def open_to_write(pipe: Path) -> int:
    """The worker's end of a pipe that the host holds open."""
    try:
        descriptor = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)  # else it would wait for a host that has died
    except OSError:
        os._exit(EXIT_LEASE_LOST)
    os.set_blocking(descriptor, True)
    return descriptor


@contextmanager
def output(folder: Path, name: str = OUTPUT) -> Iterator[BinaryIO]:
    """What the run shall leave behind: a stream of bytes, written once, in order."""
    with os.fdopen(open_to_write(folder / name), "wb") as stream:
        yield stream


class Pipe:
    """The host's end of one of the worker's pipes. Opened for both ways, so that it never sees an end of file."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self._fd = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        os.fchmod(self._fd, 0o622)  # whatever the umask: the worker may be another user
        with suppress(PermissionError):  # the user has many pipes: the writer waits a little earlier
            fcntl.fcntl(self._fd, fcntl.F_SETPIPE_SZ, PIPE_BYTES)

    def fileno(self) -> int:
        return self._fd

    def read(self) -> bytes:
        """What has come, at most PIPE_BYTES; empty if nothing has. Never waits."""
        try:
            return os.read(self._fd, PIPE_BYTES)
        except BlockingIOError:
            return b""

    def close(self) -> None:
        os.close(self._fd)


class Lease:
    """The worker's end of the FIFO: a byte says go, another bye; end of file says that the host is gone."""

    def __init__(self, folder: Path) -> None:
        # Not blocking, so that a harness that died before this line gives end of file instead of a wait for ever.
        self._fd = os.open(folder / LEASE, os.O_RDONLY | os.O_NONBLOCK)
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
        path = folder / LEASE
        os.mkfifo(path, 0o600)
        self._fd = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        os.fchmod(self._fd, 0o444)  # whatever the umask; the worker may not fill it

    def go(self) -> None:
        self._tell(GO)

    def bye(self) -> None:
        self._tell(BYE)

    def _tell(self, byte: bytes) -> None:
        """Never waits: a worker that filled its own lease ends by its time limit."""
        with suppress(BlockingIOError):
            os.write(self._fd, byte)

    def close(self) -> None:
        os.close(self._fd)
