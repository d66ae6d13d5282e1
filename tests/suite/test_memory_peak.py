"""A run's peak of memory is its own, whatever the process that started it has held."""

import subprocess
import sys

from harness import paths

STARTS_ONE = """
import os, resource, subprocess, sys
held = bytearray(400 << 20)
held[::4096] = b"x" * len(held[::4096])
child = "import resource as r; from suite import run; print(run._memory_peak_bytes(), r.getrusage(0).ru_maxrss << 10)"
process = os.fork()
if not process:
    os.execv(sys.executable, [sys.executable, "-c", child])
os.waitpid(process, 0)
"""


def test_the_memory_of_who_started_a_run_is_not_the_runs():
    told = subprocess.run([sys.executable, "-c", STARTS_ONE], cwd=paths.ROOT, capture_output=True, check=True)
    own, inherited = map(int, told.stdout.split())
    assert own < 100e6 < 400e6 < inherited
