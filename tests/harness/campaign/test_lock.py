"""A campaign under way is known by its lock, which goes with the process that holds it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from harness import paths
from harness.campaign import lock

HOLDER = """
import sys, time
from pathlib import Path
from harness.campaign import lock
with lock.hold(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_it_is_held_as_long_as_the_campaign_is_carried_out(tmp_path: Path) -> None:
    assert not lock.is_held(tmp_path)
    with lock.hold(tmp_path):
        assert lock.is_held(tmp_path)
    assert not lock.is_held(tmp_path)


def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    words = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=paths.ROOT) as holder:
        assert holder.stdout and holder.stdout.readline() == "held\n"
        assert lock.is_held(tmp_path)
        holder.kill()
        holder.wait()
        assert not lock.is_held(tmp_path)


def test_who_asks_leaves_nothing_behind(tmp_path: Path) -> None:
    assert not lock.is_held(tmp_path / "nowhere")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("")
    assert not lock.is_held(tmp_path / "file")


def test_asking_while_it_is_held_does_not_let_go_of_it(tmp_path: Path) -> None:
    with lock.hold(tmp_path):
        assert lock.is_held(tmp_path) and lock.is_held(tmp_path)
