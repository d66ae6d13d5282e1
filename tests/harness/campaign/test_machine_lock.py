"""One campaign at a time on a machine, and none that blocks it for good."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness import paths
from harness.campaign import machine_lock
from harness.errors import MissingPrerequisite

HOLD = """
import sys, time
from pathlib import Path
from harness.campaign import machine_lock
with machine_lock.hold(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture(autouse=True)
def lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JOULEMARK_LOCK", str(tmp_path / "campaign.lock"))
    return tmp_path / "campaign.lock"


def test_the_second_campaign_says_who_holds_the_machine(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path / "first")]
    with subprocess.Popen(command, cwd=paths.ROOT, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(MissingPrerequisite) as caught, machine_lock.hold(tmp_path / "second"):
            pytest.fail("two campaigns at once")
        assert f"{tmp_path / 'first'} is under way (process {holder.pid})" in str(caught.value)
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    with machine_lock.hold(tmp_path / "second"):
        """What a killed process held is free again."""


def test_a_child_that_a_killed_campaign_had_just_forked_is_waited_for(tmp_path: Path) -> None:
    """Between fork and exec a child shares the lock of its parent, which may die meanwhile."""
    ready, told = os.pipe()
    child = os.fork()
    if child == 0:
        with machine_lock.hold(tmp_path / "killed"):
            if os.fork() == 0:
                time.sleep(0.5)
                os._exit(0)
            os.write(told, b"x")
            os.kill(os.getpid(), signal.SIGKILL)
    os.read(ready, 1)
    os.waitpid(child, 0)
    with machine_lock.hold(tmp_path / "next"):
        """Not refused in the name of a process that is dead."""


def test_a_lock_is_free_once_its_campaign_has_ended(tmp_path: Path, lock: Path) -> None:
    for name in ("a much longer name of a campaign", "b"):
        with machine_lock.hold(tmp_path / name):
            assert str(tmp_path / name) in lock.read_text()
            assert lock.read_text().endswith("}")
    assert lock.stat().st_mode & 0o777 == 0o666


def test_a_lock_that_says_nothing_yet_is_still_a_lock(tmp_path: Path, lock: Path) -> None:
    with machine_lock.hold(tmp_path):
        os.truncate(lock, 0)
        with pytest.raises(MissingPrerequisite, match="another campaign"), machine_lock.hold(tmp_path):
            pytest.fail("two campaigns at once")


@pytest.mark.parametrize(
    "words", [b'{"campaign": "x", "pid": 1e999}', b"[" * 4096, b"\xff", b'{"campaign": 1}']
)
def test_whatever_the_holder_wrote_it_is_told_in_one_line(tmp_path: Path, lock: Path, words: bytes) -> None:
    with machine_lock.hold(tmp_path):
        lock.write_bytes(words)
        with pytest.raises(MissingPrerequisite, match="another campaign"), machine_lock.hold(tmp_path):
            pytest.fail("two campaigns at once")
