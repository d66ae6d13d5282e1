"""py-spy beside a worker: it looks at its Python stacks many times a second, from outside.

The worker is as it always is: no module more, no capability more. Who looks needs the right to: as root, or with
CAP_SYS_PTRACE on py-spy itself (harness.profiling.rights).
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from harness.profiling import spy_program, stacks_file, trace
from harness.profiling.entering import ENTERED
from harness.profiling.spy_program import SpyFailed, looks_per_s
from harness.profiling.trace import MOST_BYTES, SeenStacks

BEGINS = "Sampling process"  # it says so once it looks
BEGIN_TIMEOUT_S, END_TIMEOUT_S = 60.0, 120.0
POLL_S = 0.02
MOST_MEMORY_BYTES = 1 << 30  # of py-spy, which keeps all that changed until its end
MOST_NATIVE_MEMORY_BYTES = 3 << 30  # and the symbols of what the worker has loaded: TensorFlow's are 1 GB


@dataclass
class Spied:
    """What py-spy itself took of the CPUs, in seconds, None until it has ended; whether it joined a container."""

    cpu_s: float | None = None
    joined: bool = False


@contextmanager
def beside(pid: int, folder: Path, kept_free: Collection[int] = (), native: bool = False) -> Iterator[Spied]:
    """Looks at a worker's stacks until the block ends, and leaves them in its run's folder.

    `kept_free`: CPUs of the worker, which py-spy leaves to it where there are others. `native`: with the frames of
    compiled code, where it has symbols, less often.
    Raises: SpyFailed where py-spy is not allowed to look, ends too early, or saw nothing.
    """
    told, traced = folder / "py-spy.log", folder / "py-spy.json"
    process = _start(pid, told, traced, native)
    began_ns = time.monotonic_ns()  # its clock begins as it does
    try:
        _bound(process.pid, kept_free, MOST_NATIVE_MEMORY_BYTES if native else MOST_MEMORY_BYTES)
        _await_first_look(process, told)
        entered_ns = _entered_ns(told)
        yield (spied := Spied(joined=entered_ns is not None))
        spied.cpu_s = _cpu_s(process.pid)
        _end(process, told)
        stacks_file.write(folder, _looks(traced, entered_ns or began_ns, native))
    finally:
        process.kill()
        process.wait()
        for path in (told, traced):
            path.unlink(missing_ok=True)


def _start(pid: int, told: Path, traced: Path, native: bool) -> subprocess.Popen[bytes]:
    """All threads, also those that wait: joules go to what is waited for."""
    frames = ["--native"] if native else []
    looks = ["record", "--idle", "--function", "--rate", str(looks_per_s(native)), "--format", "chrometrace"]
    with told.open("wb") as log:
        return spy_program.start([*looks, *frames], pid, native, traced, stdout=log, stderr=log)


def _entered_ns(told: Path) -> int | None:
    """When it began in a container, by CLOCK_MONOTONIC; None where it joined none."""
    first = spy_program.beginning_of(told).partition("\n")[0]
    return int(first.removeprefix(ENTERED)) if first.startswith(ENTERED) else None


def _bound(pid: int, kept_free: Collection[int], most_memory_bytes: int) -> None:
    """What a worker makes py-spy write and keep is the worker's doing: it ends py-spy, and neither disk nor memory.

    A py-spy with capabilities of its own may refuse a user without them; it then goes unbound.
    """
    limits = {
        resource.RLIMIT_FSIZE: MOST_BYTES,
        resource.RLIMIT_DATA: most_memory_bytes,
        resource.RLIMIT_CORE: 0,
    }
    for limit, most in limits.items():
        with contextlib.suppress(ProcessLookupError, PermissionError):
            resource.prlimit(pid, limit, (most, most))
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if others := os.sched_getaffinity(0) - set(kept_free):
            os.sched_setaffinity(pid, others)


def _cpu_s(pid: int) -> float | None:
    """So far: what it takes to write down what it saw comes after the run. None where it has ended already."""
    with contextlib.suppress(psutil.Error):
        times = psutil.Process(pid).cpu_times()
        return round(float(times.user + times.system), 2) or None
    return None


def _await_first_look(process: subprocess.Popen[bytes], told: Path) -> None:
    deadline = time.monotonic() + BEGIN_TIMEOUT_S
    while BEGINS not in spy_program.beginning_of(told):
        if process.poll() is not None or time.monotonic() > deadline:
            raise spy_program.refused(told)
        time.sleep(POLL_S)


def _end(process: subprocess.Popen[bytes], told: Path) -> None:
    """Asks it to write what it saw. Raises: SpyFailed where it cannot, or had ended before it was asked."""
    early = process.poll()
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGINT)
    try:
        code = process.wait(END_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise SpyFailed(f"py-spy did not end within {END_TIMEOUT_S:g} s") from None
    if code:
        when = "" if early is None else ", in the middle of the run"
        raise SpyFailed(spy_program.why_it_ended(code, told) + when)


def _looks(traced: Path, began_ns: int, native: bool) -> SeenStacks:
    try:
        seen = trace.looks(traced, began_ns, looks_per_s(native), native)
    except (ValueError, LookupError, TypeError, AttributeError, OSError, RecursionError) as error:
        raise SpyFailed(f"what py-spy saw cannot be read: {error}") from error
    if not any(seen.stacks):
        raise SpyFailed(
            "py-spy saw nothing of the worker's main thread: it was too short, or ran something else"
        )
    return seen
