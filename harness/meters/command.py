"""Any program that prints watts or joules: IPMI, Redfish, a metered plug. A boundary of its own (rule R10).

The program runs in a thread, so that a slow one delays no other meter; each reading carries the time at which
the program ran. A run of it that fails, hangs or prints something else gives no reading, never 0.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import select
import shutil
import signal
import subprocess
import threading
import time

from harness.meters.background import LAST_WAIT_S, LONGEST_S, BackgroundReader, NoReading
from harness.meters.base import CommandSpec, Reader, Readings, Stamped
from harness.records import Channel, ChannelKind, Provenance, Unavailable

KINDS = {"W": ChannelKind.GAUGE, "J": ChannelKind.COUNTER}
MAX_OUTPUT_BYTES = 65_536
CHUNK_BYTES = 4096
LOOK_S = 0.05  # how often a waiting thread looks whether it shall stop


def find(spec: CommandSpec) -> CommandMeter | Unavailable:
    """The meter of one configured program, tried once."""
    try:
        _check(spec)
        run_once(spec)
    except (NoReading, ValueError) as error:
        return Unavailable(
            meter=f"command {spec.name}",
            reason=str(error),
            remedy=f"make this print one number in {spec.unit}: {' '.join(spec.argv)}",
        )
    return CommandMeter(spec)


def _check(spec: CommandSpec) -> None:
    if spec.unit not in KINDS:
        raise ValueError(f"its unit is {spec.unit!r}, but must be W or J")
    if not all(0 < one <= LONGEST_S for one in (spec.period_s, spec.timeout_s)):
        raise ValueError(f"its period and its timeout must be longer than 0 s, and at most {LONGEST_S:g} s")
    if not spec.argv or not shutil.which(spec.argv[0]):
        raise ValueError(f"there is no program {' '.join(spec.argv[:1])!r}")
    try:
        groups = re.compile(spec.pattern or "()").groups
    except re.error as error:
        raise ValueError(f"its pattern is no regular expression: {error}") from error
    if groups != 1:
        raise ValueError(f"its pattern has {groups} groups, but must have one: the number")


class CommandMeter:
    """One channel, command/NAME."""

    needs_process = False
    period_s = None  # the thread keeps the period; here one only fetches

    def __init__(self, spec: CommandSpec) -> None:
        self._spec = spec
        self.channels = (
            Channel(
                name=f"command/{spec.name}",
                meter="command",
                unit=spec.unit,
                kind=KINDS[spec.unit],
                provenance=Provenance.MEASURED,
                domain=f"command:{spec.name}",
                update_s=spec.period_s,
                note=" ".join(spec.argv),
            ),
        )

    def open(self, pid: int | None) -> Reader:
        return BackgroundReader(
            f"command {self._spec.name}", self._ask, self._spec.period_s, self._spec.timeout_s
        )

    def _ask(self, stop: threading.Event) -> Readings:
        return {self.channels[0].name: run_once(self._spec, stop)}


def run_once(spec: CommandSpec, stop: threading.Event | None = None) -> Stamped:
    """What the program prints, stamped with the middle of its run."""
    began_ns = time.monotonic_ns()
    value = _number(_output(spec, stop or threading.Event()), spec.pattern)
    return Stamped(value, (began_ns + time.monotonic_ns()) // 2)


def _number(text: str, pattern: str | None) -> float:
    found = re.search(pattern, text) if pattern else None
    if pattern and not found:
        raise NoReading(f"its pattern does not occur in {text.strip()[:80]!r}")
    try:
        value = float(found[1] if found else text)
    except (TypeError, ValueError):
        raise NoReading(f"it printed no number: {text.strip()[:80]!r}") from None
    if not math.isfinite(value) or value < 0:
        raise NoReading(f"it printed {value}")
    return value


def _output(spec: CommandSpec, stop: threading.Event) -> str:
    """Standard output of one run; a program that takes too long is ended with all it started."""
    try:
        process = subprocess.Popen(
            spec.argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # a group to end, and Ctrl-C is the harness' to handle
        )
    except OSError as error:
        raise NoReading(f"it does not start: {error.strerror}") from error
    deadline_s = time.monotonic() + spec.timeout_s
    try:
        text = _read_all(process, deadline_s, stop)
        code = process.wait(max(LAST_WAIT_S, deadline_s - time.monotonic()))
    except (NoReading, subprocess.TimeoutExpired) as error:
        _end(process)
        raise NoReading(str(error)) from error
    if code != 0:
        raise NoReading(f"it ended with exit code {code}")
    return text.decode(errors="replace")


def _read_all(process: subprocess.Popen[bytes], deadline_s: float, stop: threading.Event) -> bytes:
    """By select, because communicate() keeps all that a runaway program prints."""
    assert process.stdout
    text = b""
    with process.stdout as out:
        while not stop.is_set() and time.monotonic() < deadline_s:
            if not select.select([out], [], [], LOOK_S)[0]:
                continue
            if not (chunk := os.read(out.fileno(), CHUNK_BYTES)):
                return text
            text += chunk
            if len(text) > MAX_OUTPUT_BYTES:
                raise NoReading(f"it printed more than {MAX_OUTPUT_BYTES} bytes")
    raise NoReading("it did not end in time")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Another user's process (sudo) cannot be ended from here: it is left to itself, never waited for."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(LAST_WAIT_S)
