"""The program py-spy: where it is, which it is, whether it may look here, and why it failed, in one line."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from harness.errors import SuiteError
from harness.files.untrusted import printable
from harness.profiling import joining
from harness.profiling.joining import JoiningFailed
from harness.profiling.rights import why_refused
from harness.profiling.trace import MOST_BYTES

LOOKS_PER_S = 200
NATIVE_LOOKS_PER_S = 10  # each stops the worker: for 30 ms while TensorFlow traces, where 50 left it no time
LOOK_TIMEOUT_S = 30.0
KEPT = "CAP_SYS_PTRACE"  # by py-spy in a container (harness.profiling.entering)
MOST_TOLD = 1 << 16  # bytes that are read of what it says, which repeats what a worker calls its things
LONGEST_REASON = 300


class SpyFailed(SuiteError):
    """The stacks of a run could not be looked at."""


def program() -> str:
    """Where py-spy is: beside this Python, or on the path. Raises: SpyFailed where it is nowhere."""
    if not (found := _found()):
        raise SpyFailed("there is no py-spy to look at stacks with; install the suite anew: make setup")
    return found


def _found() -> str | None:
    return shutil.which("py-spy", path=str(Path(sys.executable).parent)) or shutil.which("py-spy")


def looks_per_s(native: bool) -> int:
    return NATIVE_LOOKS_PER_S if native else LOOKS_PER_S


def described(native: bool = False, joined: bool = False) -> dict[str, Any]:
    """For run.json: what looked, how often, with whose rights, and which capabilities the worker got more for it.

    `joined`: in the worker's container; it then kept one of root's rights.
    """
    rights = "root" if os.geteuid() == 0 else "a user who may"
    tool = _version(found) if (found := _found()) else "py-spy"
    told = {"tool": tool, "looks_per_s": looks_per_s(native), "rights": rights, "capabilities_added": []}
    kept = {"capabilities_kept": [KEPT]} if joined else {}
    return {**told, **({"native": True} if native else {}), **kept}


def words(native: bool = False) -> str:
    """The same for the screen."""
    found, frames = described(native), ", native frames, too" if native else ""
    inside = f"; in a container py-spy itself keeps {KEPT} alone" if native else ""
    return (
        f"profiler: {found['tool']}, {found['looks_per_s']} looks a second{frames}, from outside, as "
        f"{found['rights']}; no worker gets any capability more{inside}"
    )


@cache
def _version(path: str) -> str:
    done = subprocess.run(
        [path, "--version"], capture_output=True, text=True, timeout=LOOK_TIMEOUT_S, check=False
    )
    return printable(done.stdout.strip())[:80] or "py-spy"


def look_once(pid: int, native: bool = False) -> None:
    """Raises: SpyFailed where no look at this process is possible, with cause and remedy."""
    looks = ["dump", *(["--native"] if native else [])]
    with start(looks, pid, native, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            _, told = process.communicate(timeout=LOOK_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise SpyFailed(f"py-spy did not end within {LOOK_TIMEOUT_S:g} s") from None
    if process.returncode:
        raise SpyFailed(_refusal(told[:MOST_TOLD].decode(errors="replace")))


def start(
    words: Sequence[str], pid: int, native: bool, output: Path | None = None, **streams: Any
) -> subprocess.Popen[bytes]:
    """Begins to look at a process: from where we are, but for native frames in its container, if it is in one.

    `output`: the file that it writes; in a container it is handed over open. Raises: SpyFailed where it cannot join.
    """
    inside = joining.number_inside(pid) if native else None
    command = [program(), *words, "--pid", str(inside or pid)]
    if inside is None:
        written = ["--output", str(output)] if output else []
        return subprocess.Popen([*command, *written], stdin=subprocess.DEVNULL, **streams)
    try:
        return joining.start(pid, command, output, stdin=subprocess.DEVNULL, **streams)
    except JoiningFailed as error:
        raise SpyFailed(str(error)) from None


def require_looks_at_own(native: bool = False) -> None:
    """At a process of our own, before anything is prepared. Raises: as look_once."""
    waiting = [sys.executable, "-c", "print(flush=True); input()"]
    with subprocess.Popen(waiting, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()  # it is Python by now
        try:
            look_once(child.pid, native)
        finally:
            child.kill()


def beginning_of(told: Path) -> str:
    """Of what it says in its log."""
    with told.open("rb") as file:
        return file.read(MOST_TOLD).decode(errors="replace")


def _end_of(told: Path) -> str:
    with told.open("rb") as file:
        file.seek(max(0, told.stat().st_size - MOST_TOLD))
        return file.read(MOST_TOLD).decode(errors="replace")


def refused(told: Path) -> SpyFailed:
    """It has not begun to look; its log says why."""
    return SpyFailed(_refusal(_end_of(told)))


def why_it_ended(code: int, told: Path) -> str:
    """By its exit code, which is not 0."""
    if -code == signal.SIGXFSZ:
        return (
            f"py-spy saw more than the {MOST_BYTES >> 20} MiB that are kept: let the workload take less time"
        )
    if code < 0:
        return f"py-spy was ended by {_name(-code)}"
    return f"py-spy failed: {_reason(_end_of(told))}"


def _name(number: int) -> str:
    return signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"


def _refusal(told: str) -> str:
    remedy = f": {why_refused(program())}" if "ermission" in told else f": {_reason(told)}"
    return f"py-spy cannot look at the worker's stack{remedy}"


def _reason(told: str) -> str:
    """Its error and what caused that, without where in itself."""
    told = told.rpartition("Stack backtrace:")[0] or told
    lines = [line.strip() for line in told.rpartition("Error: ")[2].splitlines() if line.strip()]
    kept = [line.partition(": ")[2] if line[:1].isdigit() else line for line in lines if line != "Caused by:"]
    last = next((line.strip() for line in reversed(told.splitlines()) if line.strip()), "it said nothing")
    return printable("; ".join(dict.fromkeys(kept)) or last)[:LONGEST_REASON]
