"""A worker that speaks the protocol and computes nothing, in as many good and bad manners as a test asks for.

python worker.py REQUEST_FOLDER OWN_FOLDER BEHAVIOUR
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

from suite.protocol import ANSWERS as ANSWERS_PIPE
from suite.protocol import EVENTS, EventWriter, Lease, output

BUSY_S = 0.3
BUSY_OTHERWISE_S = {"works-briefly": 0.03, "works-long": 5.0}
ANSWERS = {"sum": 1.0, "norm": 1.0, "cross_entropy": 0.1, "projection": 0.5}
EPOCH = {
    "loss": 0.1, "first_losses": [], "steps": 10, "samples": 100, "rows": "0" * 16, "answers": ANSWERS,
}  # fmt: skip
TOKENS = np.array([[4, 5, 6, 7, 8, 3, 0], [9, 8, 7, 6, 5, 4, 3]])  # two sentences, each with its end
LEFT = {
    "answers": {"1/tokens": TOKENS},
    "rubbish": {},
    "fewer-samples": {"1/tokens": TOKENS[:1]},
    "fractions": {"1/tokens": TOKENS.astype(float)},
    "objects": {"1/tokens": TOKENS.astype(object)},
    "foreign-words": {"1/tokens": TOKENS + 100},
    "negative-words": {"1/tokens": TOKENS - 9},
    "two-evaluations": {"1/tokens": TOKENS, "2/tokens": TOKENS},
    "other-names": {"1/words": TOKENS},
    "one-row": {"1/tokens": TOKENS[:, 0]},
}
VALUES = {"accuracy": 0.99, "precision": 0.99, "recall": 0.99, "f1": 0.99, "loss": 0.1}


def main(request: Path, folder: Path, behaviour: str) -> int:
    lease, events = Lease(request), EventWriter(folder)
    if behaviour == "dies-before-ready":
        return 3
    events.send("ready")
    lease.wait_for_go()
    with events.phase("import"):
        time.sleep(0.02)
    with events.phase("train", 1):
        misbehave(behaviour, folder, events)
        spin(BUSY_OTHERWISE_S.get(behaviour, BUSY_S))
    quality = 0.5 if behaviour == "learns-nothing" else VALUES["accuracy"]
    events.send("metrics", epoch=1, metric="accuracy", values={**VALUES, "accuracy": quality})
    leave_answers(behaviour, folder)
    events.send(
        "fingerprint", epochs=[EPOCH], passes=[ANSWERS["projection"]], answers=ANSWERS
    )  # of either stage
    events.send("work", samples=100, steps=10, parameters=5)
    events.send("facts", mode="eager", threads=1)
    if behaviour == "fails":
        events.send("failed", error="ValueError: planted")
        return 1
    events.send("done")
    lease.wait_for_bye()
    return 4 if behaviour == "exits-4-at-the-end" else 0


def misbehave(behaviour: str, folder: Path, events: EventWriter) -> None:
    if behaviour == "hangs":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
    if behaviour == "leaves-a-child":
        child = subprocess.Popen(["sleep", "600"], start_new_session=True)
        print(child.pid)
    if behaviour == "cuts-its-last-line":
        with (folder / EVENTS).open("w") as file:
            file.write('{"t_ns": 1, "kind": "pha')
        os._exit(5)
    if behaviour == "wants-two-gigabytes":
        try:
            print(len(bytearray(2 << 30)))  # zeros that nobody has written: the machine need not have them
        except MemoryError:
            events.send("failed", error="MemoryError: Unable to allocate 2.00 GiB")
            os._exit(1)
    if behaviour == "is-killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if behaviour == "is-ended-by-a-nameless-signal":
        os.kill(os.getpid(), signal.SIGRTMIN + 3)
    misbehave_when_looked_at(behaviour)
    print("the worker says <b>hello</b>")


def misbehave_when_looked_at(behaviour: str) -> None:
    if behaviour == "is-another-and-many":
        be_another_and_many()
    if behaviour == "becomes-another-program":
        os.execv("/bin/sleep", ["sleep", "0.5"])
    if behaviour == "goes-deep":
        end = time.process_time() + 1
        while time.process_time() < end:
            deeper(300)


def be_another_and_many() -> None:
    """Children that outlive nothing, a process and threads of other names, functions that are called like terminals."""
    libc = ctypes.CDLL(None)
    libc.prctl(15, b'\x1b[2J;"]}\n', 0, 0, 0)
    child = os.fork()
    if child == 0:
        spin(1.0)  # longer than the rest, so that it is waited for as it ends
        os._exit(0)
    named = {"__name__": "suite.run"}
    exec(compile("def run(work): work()\n", 'a;b"]}\n\x1b[31m/x.py', "exec"), named)
    thread = threading.Thread(target=named["run"], args=(lambda: spin(0.5),), name='"]}\n\x1b[2J;evil')
    thread.start()
    named["run"](lambda: spin(0.5))
    thread.join()
    os.waitpid(child, 0)


def deeper(left: int) -> None:
    if left:
        deeper(left - 1)
    elif time.monotonic_ns() % 2:
        spin(0.001)


def leave_answers(behaviour: str, folder: Path) -> None:
    """Of one evaluation; another file than is asked for, where the behaviour says so."""
    if (leaves := behaviour.removeprefix("leaves-")) not in LEFT:
        return
    with output(folder, ANSWERS_PIPE) as stream:
        if leaves == "rubbish":
            stream.write(b"PK\x03\x04" * 1000)
        else:
            np.savez(stream, **LEFT[leaves])


def spin(duration_s: float) -> None:
    end = time.monotonic() + duration_s
    while time.monotonic() < end:
        pass


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]))
