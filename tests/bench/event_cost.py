"""What telling its events costs a run: `python -m tests.bench.event_cost [PAIRS]`.

An event through the pipe, with the harness reading as it does in a run, against the same line appended to a file, as
it was before there were pipes. In pairs, the order of each drawn; then as a share of a run's CPU time.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np

from harness.worker.follow import EventTail
from suite.protocol import EVENTS, EventWriter, Pipe

PAIRS = 200
EVENTS_A_PAIR = 50  # of a training of ten epochs
RUN_S = 5.0  # a short one
TARGET = 0.001


def _us(send: Callable[[], None]) -> float:
    """CPU microseconds of the thread for one event, in the mean over a pair's."""
    begin_s = time.thread_time()
    for _ in range(EVENTS_A_PAIR):
        send()
        time.sleep(0)  # as between epochs: the other side may read
    return (time.thread_time() - begin_s) / EVENTS_A_PAIR * 1e6


def main(pairs: int) -> None:
    draw, rows = random.Random(1), []
    with tempfile.TemporaryDirectory() as name, closing(Pipe(Path(name) / EVENTS)) as pipe:
        place, ended = Path(name), threading.Event()
        file = os.open(place / "file", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        by_pipe, by_file = EventWriter(place), EventWriter(place)
        by_file._fd = file

        def follow() -> float:
            with closing(EventTail(pipe, place, lambda event: None)) as tail:
                while not ended.is_set():
                    tail.poll()
                    time.sleep(0.001)
                tail.poll()
                return len(tail.told)

        reader = threading.Thread(target=follow)
        reader.start()
        ways = {"pipe": by_pipe, "file": by_file}
        for _ in range(pairs):
            took = {
                way: _us(lambda one=one: one.send("phase", name="train", edge="begin", epoch=1))
                for way, one in draw.sample(list(ways.items()), 2)
            }
            rows.append((took["pipe"], took["file"]))
        ended.set()
        reader.join()
        os.close(file)
    pipe_us, file_us = np.median(np.array(rows), axis=0)
    more_us = float(np.median([first - second for first, second in rows]))
    share = more_us * EVENTS_A_PAIR / (RUN_S * 1e6)
    print(f"| {pairs} pairs of {EVENTS_A_PAIR} events | median |\n|---|---|")
    print(f"| CPU of the worker for an event into its pipe | {pipe_us:.1f} us |")
    print(f"| appended to a file | {file_us:.1f} us |")
    print(f"| difference within a pair | {more_us:+.1f} us |")
    print(f"| of a run of {RUN_S:g} s with {EVENTS_A_PAIR} events (target < {TARGET:.1%}) | {share:+.4%} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else PAIRS)
