"""A real process looked at by the real py-spy."""

import json
import os
import shlex
import subprocess
import sys
import time

import numpy as np
import pytest

from harness.errors import UsageError
from harness.profiling import spy, spy_program, stacks_file
from harness.profiling.spy_program import SpyFailed

BORDER_NS = 50_000_000  # a busy machine may be that late with a look

WORKER = """
import json, sys, time

def burn(lasts_s):
    end = time.perf_counter() + lasts_s
    while time.perf_counter() < end:
        pass

def rest(lasts_s):
    time.sleep(lasts_s)

marks = []
for _ in range(8):
    for function, lasts_s in ((burn, 0.25), (rest, 0.25)):
        marks.append((function.__name__, time.monotonic_ns()))
        function(lasts_s)
with open(sys.argv[1], "w") as file:
    json.dump(marks, file)
time.sleep(60)
"""


@pytest.fixture
def worker(tmp_path):
    """A process that alternates, and where it writes when it did."""
    script, marks = tmp_path / "suite" / "run.py", tmp_path / "marks.json"
    script.parent.mkdir()
    script.write_text(WORKER)
    process = subprocess.Popen([sys.executable, script, marks])
    yield process, marks
    process.kill()
    process.wait()


def test_stacks_are_seen_when_they_were(worker, tmp_path):
    process, marks = worker
    with spy.beside(process.pid, tmp_path) as spied:
        deadline = time.monotonic() + 60
        while not marks.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
    seen = stacks_file.read(tmp_path)
    told = json.loads(marks.read_text())
    times, names = np.array([t for _, t in told]), [name for name, _ in told]
    right = [
        names[place] in stack
        for t, stack in zip(seen.t_ns, seen.stacks, strict=True)
        if 0 <= (place := np.searchsorted(times, t, "right") - 1) < len(names) - 1
        and times[place] + BORDER_NS < t < times[place + 1] - BORDER_NS
    ]
    assert len(right) > 100
    assert np.mean(right) > 0.95
    assert process.poll() is None
    assert 0.01 < spied.cpu_s < 10
    assert not list(tmp_path.glob("py-spy*"))


def fake(tmp_path, text):
    program = tmp_path / "py-spy"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    return str(program)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "echo 'Error: Permission Denied: Try running again with elevated permissions' >&2; exit 1",
            "setcap",
        ),
        ("echo 'Error: No such process' >&2; exit 1", "No such process"),
        ("exit 1", "it said nothing"),
    ],
)
def test_what_it_cannot_look_at_is_one_line_with_the_remedy(tmp_path, monkeypatch, text, words):
    program = fake(tmp_path, text)
    monkeypatch.setattr(spy_program, "program", lambda: program)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(SpyFailed, match=words) as found, spy.beside(1, tmp_path):
        pytest.fail("it looked")
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("exec sleep 60", "py-spy was ended by SIGINT"),
        ("trap 'exit 0' INT; sleep 60 & wait", "cannot be read: .*No such file"),
        ("kill -KILL $$", "py-spy was ended by SIGKILL, in the middle"),
        ("echo 'Error: Failed to write'; exit 1", "py-spy failed: Failed to write, in the middle"),
    ],
)
def test_a_spy_that_leaves_no_trace_fails_with_the_reason(tmp_path, monkeypatch, text, words):
    program = fake(tmp_path, f"echo Sampling process; {text}")
    monkeypatch.setattr(spy_program, "program", lambda: program)
    with pytest.raises(SpyFailed, match=words) as found, spy.beside(1, tmp_path):
        time.sleep(0.3)
    assert "\n" not in str(found.value)


def test_what_a_spy_says_of_its_failure_is_told_without_where_in_itself(tmp_path, monkeypatch):
    lines = (
        "Error: Failed to write",
        "",
        "Caused by:",
        "    0: No space left (os error 28)",
        "",
        "Stack backtrace:",
        "0: main",
    )
    program = fake(tmp_path, f"echo Sampling process; printf '%s\\n' {shlex.join(lines)}; exit 1")
    monkeypatch.setattr(spy_program, "program", lambda: program)
    with pytest.raises(SpyFailed) as found, spy.beside(1, tmp_path):
        time.sleep(0.3)
    assert "failed: Failed to write; No space left (os error 28), in the middle" in str(found.value)


def test_a_run_without_stacks_is_one_line(tmp_path):
    with pytest.raises(UsageError, match="no stacks"):
        stacks_file.read(tmp_path)
    (tmp_path / stacks_file.STACKS_FILE).write_bytes(b"PAR1 nonsense PAR1")
    with pytest.raises(UsageError, match="cannot be read"):
        stacks_file.read(tmp_path)
