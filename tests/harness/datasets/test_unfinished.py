"""Finished steps are kept and checked; one process at a time; nothing is left of what was finished."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harness.datasets import unfinished
from harness.errors import MissingPrerequisite
from harness.files import exclusive


class Kitchen:
    """Counts how often each step is made."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def __call__(self, *paths: Path) -> None:
        for path in paths:
            self.made.append(path.name)
            path.write_text(path.name)


def broken_off(kitchen: Kitchen, origin: str = "official") -> None:
    with pytest.raises(KeyboardInterrupt), unfinished.steps("soup", origin) as steps:
        steps.once(("carrots", "onions"), kitchen)
        raise KeyboardInterrupt


def finish(kitchen: Kitchen, origin: str = "official") -> None:
    with unfinished.steps("soup", origin) as steps:
        found = steps.once(("carrots", "onions"), kitchen)
        assert [path.read_text() for path in found] == ["carrots", "onions"]
        steps.once(("water",), kitchen)


def test_a_second_call_goes_on_where_the_first_was_broken_off(home: Path) -> None:
    kitchen = Kitchen()
    broken_off(kitchen)
    finish(kitchen)
    assert kitchen.made == ["carrots", "onions", "water"]
    assert not (home / "data" / "unfinished" / "soup").exists()


@pytest.mark.parametrize("harm", ["burnt", None])
def test_a_step_whose_files_were_harmed_is_made_again(home: Path, harm: str | None) -> None:
    kitchen = Kitchen()
    broken_off(kitchen)
    onions = home / "data" / "unfinished" / "soup" / "onions"
    onions.write_text(harm) if harm else onions.unlink()
    finish(kitchen)
    assert kitchen.made == ["carrots", "onions", "carrots", "onions", "water"]


def test_a_record_that_is_damaged_or_of_other_files_begins_again(home: Path) -> None:
    for origin, content in (("other", None), ("official", "{"), ("official", "[1]")):
        kitchen = Kitchen()
        broken_off(kitchen)
        if content:
            (home / "data" / "unfinished" / "soup" / unfinished.RECORD).write_text(content)
        finish(kitchen, origin)
        assert kitchen.made == ["carrots", "onions", "carrots", "onions", "water"]


def test_a_step_that_was_broken_off_itself_counts_for_nothing(home: Path) -> None:
    def half(*paths: Path) -> None:
        paths[0].write_text("half a carrot")
        raise OSError

    with pytest.raises(OSError), unfinished.steps("soup", "official") as steps:
        steps.once(("carrots", "onions"), half)
    finish(Kitchen())


KILLED = """
import os, signal
from harness.datasets import unfinished
with unfinished.steps("soup", "official") as steps:
    steps.once(("carrots", "onions"), lambda *paths: [path.write_text(path.name) for path in paths])
    steps.once(("water",), lambda path: os.kill(os.getpid(), signal.SIGKILL))
"""


def test_what_was_killed_goes_on_too_and_its_lock_is_free(home: Path) -> None:
    assert subprocess.run([sys.executable, "-c", KILLED], check=False).returncode == -signal.SIGKILL
    kitchen = Kitchen()
    finish(kitchen)
    assert kitchen.made == ["water"]


def test_a_second_process_is_told_to_wait(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exclusive, "GRACE_S", 0.1)
    with (
        unfinished.steps("soup", "official"),
        pytest.raises(MissingPrerequisite, match="another process is preparing soup"),
        unfinished.steps("soup", "official"),
    ):
        pass
