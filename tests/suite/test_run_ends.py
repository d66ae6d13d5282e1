"""How a worker's process ends: with whatever its libraries do last, unless a profiler left all of its calls to free."""

import subprocess
import sys

import pytest

ENDING = """
import atexit, sys
from types import SimpleNamespace
from suite import run
atexit.register(print, "freed")
run.Request = SimpleNamespace(read=lambda folder: SimpleNamespace(profiler=sys.argv[1]))
run.Lease = lambda folder: SimpleNamespace(wait_for_go=lambda: None, wait_for_bye=lambda: print("bye"))
run.EventWriter = lambda folder: SimpleNamespace(send=lambda *said, **more: None)
run._work = lambda *given: None
sys.exit(run.main(["request", "own", "data"]))
"""


@pytest.mark.parametrize(("profiler", "said"), [("", "bye\nfreed\n"), ("operators", "bye\n")])
def test_what_a_profiler_recorded_is_not_freed_call_by_call(profiler: str, said: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", ENDING, profiler], check=False, capture_output=True, text=True, timeout=60
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, said, "")
