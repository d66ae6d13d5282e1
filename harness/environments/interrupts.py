"""Ctrl-C and SIGTERM: the first one ends what is under way, no further one breaks off the cleaning up."""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

CLEANING_UP_S = 20.0  # an engine takes some seconds to stop and remove a container
SIGNALS = (signal.SIGINT, signal.SIGTERM)
_said: int | None = None  # the exit code of a program that a signal has ended


def only_the_first() -> None:
    """From now on: KeyboardInterrupt at the first signal; further ones are ignored while it may still be cleaned up."""
    struck_s = -math.inf

    def strike(number: int, frame: FrameType | None) -> None:
        nonlocal struck_s
        if time.monotonic() > struck_s + CLEANING_UP_S:  # one that got lost in a destructor may come again
            struck_s = time.monotonic()
            raise KeyboardInterrupt

    for number in SIGNALS:
        signal.signal(number, strike)


def no_more(exit_code: int) -> None:
    """A program that is ending ends as it says: an interpreter that ends takes its handlers back, but not this one."""
    global _said
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    _said = exit_code


def end_as_said() -> None:
    """To be called last.

    An interpreter that met a KeyboardInterrupt in text that it executed, as a data class does while it is imported,
    would end by SIGINT, though it was caught (CPython 3.11, Py_RunMain of `python -m`).
    """
    if _said is not None:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):  # nobody reads any more
                stream.flush()
        os._exit(_said)


@contextmanager
def held() -> Iterator[None]:
    """A signal waits until the block has ended: what it makes is known to those who will have to remove it."""
    waiting: list[int] = []
    try:
        with _handled_by(lambda number, frame: waiting.append(number)):
            yield
    finally:  # also after an error, which may be that of one run among many
        if waiting:
            signal.raise_signal(waiting[0])


@contextmanager
def _handled_by(handler: object) -> Iterator[None]:
    """Only the main thread has handlers (signal(2) of Python); in another one nothing needs to be held."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in SIGNALS}  # type: ignore[arg-type] # a callable
    try:
        yield
    finally:
        for number, one in before.items():
            # Not since `no_more`: a block that a signal broke off at its beginning ends with the frames of its error.
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL if one is None else one)
