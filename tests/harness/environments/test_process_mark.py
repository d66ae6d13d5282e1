"""A process is told from a later one with its id, and from one of another namespace, where ids are counted anew."""

from __future__ import annotations

import os
import subprocess
import sys

from harness.environments import process_mark


def test_a_mark_tells_a_process_from_a_later_one_with_its_id() -> None:
    own = process_mark.own()
    assert own == process_mark.of(os.getpid())
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        mark = process_mark.of(child.pid)
        assert mark is not None and mark != own
        assert process_mark.is_gone(mark) is False
    assert process_mark.of(child.pid) is None
    assert process_mark.is_gone(mark) is True
    namespace, pid, _ = own.split(":")
    assert process_mark.is_gone(f"{namespace}:{pid}:1") is True, "this id, but a process that started at boot"


def test_nobody_can_say_whether_a_process_of_another_namespace_is_gone() -> None:
    namespace, rest = process_mark.own().split(":", 1)
    assert process_mark.is_gone(f"{int(namespace) + 1}:{rest}") is None
    assert process_mark.is_gone("1234:5678") is None, "a mark of an older version"
    for pid in ("\u00b2", "\u0661", "-1", "", "../1"):
        assert process_mark.is_gone(f"{namespace}:{pid}:1") is None, (
            "anybody may make a folder of such a name"
        )
