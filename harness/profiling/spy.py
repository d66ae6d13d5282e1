"""py-spy beside a worker: it looks at its Python stacks many times a second, from outside.

The worker is as it always is: no module more, no capability more. Who looks needs the right to: as root, or with
CAP_SYS_PTRACE on py-spy itself.
"""

from __future__ import annotations

import contextlib
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.errors import SuiteError
from harness.profiling import stacks_file, trace
from harness.profiling.trace import SeenStacks

LOOKS_PER_S = 200
BEGINS = "Sampling process"  # it says so once it looks
BEGIN_TIMEOUT_S, END_TIMEOUT_S = 60.0, 120.0
POLL_S = 0.02
REMEDY = "run as root, or: sudo setcap cap_sys_ptrace+ep {program}"


class SpyFailed(SuiteError):
    """The stacks of a run could not be looked at."""


@contextmanager
def beside(pid: int, folder: Path) -> Iterator[None]:
    """Looks at a worker's stacks until the block ends, and leaves them in its run's folder.

    Raises: SpyFailed where py-spy is not allowed to look, or ends too early.
    """
    told, traced = folder / "py-spy.log", folder / "py-spy.json"
    with told.open("wb") as log:
        process = subprocess.Popen(_command(pid, traced), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    began_ns = time.monotonic_ns()  # its clock begins as it does
    try:
        _await_first_look(process, told)
        yield
        _end(process, told, traced)
        stacks_file.write(folder, _looks(traced, began_ns))
    finally:
        process.kill()
        process.wait()
        for path in (told, traced):
            path.unlink(missing_ok=True)


def program() -> str:
    """Where py-spy is: beside this Python, or on the path."""
    found = shutil.which("py-spy", path=str(Path(sys.executable).parent)) or shutil.which("py-spy")
    if not found:
        raise SpyFailed("there is no py-spy to look at stacks with; install the suite anew: make setup")
    return found


def _command(pid: int, traced: Path) -> list[str]:
    """All threads, also those that wait: joules go to what is waited for."""
    options = [
        "--idle",
        "--function",
        "--rate",
        str(LOOKS_PER_S),
        "--format",
        "chrometrace",
        "--output",
        str(traced),
    ]
    return [program(), "record", "--pid", str(pid), *options]


def _await_first_look(process: subprocess.Popen[bytes], told: Path) -> None:
    deadline = time.monotonic() + BEGIN_TIMEOUT_S
    while BEGINS not in told.read_text(errors="replace"):
        if process.poll() is not None or time.monotonic() > deadline:
            raise _failed(told)
        time.sleep(POLL_S)


def _end(process: subprocess.Popen[bytes], told: Path, traced: Path) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGINT)
    try:
        process.wait(END_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise SpyFailed(f"py-spy did not end within {END_TIMEOUT_S:g} s") from None
    if not traced.exists():
        raise _failed(told)


def _looks(traced: Path, began_ns: int) -> SeenStacks:
    try:
        return trace.looks(traced, began_ns, LOOKS_PER_S)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise SpyFailed(f"what py-spy saw cannot be read: {error}") from error


def _failed(told: Path) -> SpyFailed:
    """With its own reason, and what helps where it lacks the right."""
    lines = [line.strip() for line in told.read_text(errors="replace").splitlines() if line.strip()]
    reason = next((line for line in lines if "ermission" in line), lines[-1] if lines else "it said nothing")
    remedy = f"; {REMEDY.format(program=program())}" if "ermission" in reason else ""
    return SpyFailed(f"py-spy cannot look at the worker's stack: {reason.removeprefix('Error: ')}{remedy}")
