"""The control run: an idle container, then work that is the same on every machine, plan and framework (rules R25, R27).

It says what the machine does while the frameworks are none of its business: standard library only.
"""

from __future__ import annotations

import hashlib
import time
from concurrent.futures import ThreadPoolExecutor

from suite.protocol import EventWriter, Request

ROUNDS_A_CALL = 100_000  # about 50 ms: the pool stays even, and its own cost is lost in it


def execute(request: Request, events: EventWriter) -> None:
    """Settings: idle_s, seconds of rest; rounds, of PBKDF2-HMAC-SHA-256 on each thread."""
    with events.phase("idle"):
        time.sleep(float(request.settings["idle_s"]))
    calls = int(request.settings["rounds"]) // ROUNDS_A_CALL
    with events.phase("work"), ThreadPoolExecutor(request.threads) as pool:
        list(pool.map(_compute, range(calls * request.threads)))
    events.send("work", samples=calls * request.threads, steps=ROUNDS_A_CALL, parameters=0)


def _compute(salt: int) -> bytes:
    """OpenSSL computes it in one call, outside the interpreter's lock."""
    return hashlib.pbkdf2_hmac("sha256", b"joulemark", str(salt).encode(), ROUNDS_A_CALL)
