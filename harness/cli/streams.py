"""The program's own streams, however it was called: closed ones lead nowhere, and no character ends a command."""

from __future__ import annotations

import codecs
import io
import os
import sys
from pathlib import Path

ASCII = codecs.lookup("ascii").name
STANDARD = (0, 1, 2)


def make_usable() -> None:
    """Before anything is said: of `suite ... >&-`, of a locale that lacks characters which tables have (m², J·s)."""
    _fill()
    sys.stdin, sys.stdout, sys.stderr = (
        stream or Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115
        for stream, mode in ((sys.stdin, "r"), (sys.stdout, "w"), (sys.stderr, "w"))
    )
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            _never_fails(stream)


def _fill() -> None:
    """A file that a campaign opens is not what a library writes its words to."""
    for number in STANDARD:
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free


def _never_fails(stream: io.TextIOWrapper) -> None:
    """ASCII says that nobody has set a locale, and is read as UTF-8: as click does, and Python where it may."""
    plain = codecs.lookup(stream.encoding).name == ASCII
    stream.reconfigure(encoding="utf-8" if plain else None, errors="backslashreplace")
