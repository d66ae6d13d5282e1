"""A scheduler that is slow to answer ends no campaign."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.cluster import queue


def test_a_scheduler_that_takes_no_word_in_time_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its job sees by itself that nobody waits for it any more."""
    (slow := tmp_path / "scancel").write_text("#!/bin/sh\nexec sleep 5\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(queue, "ANSWER_S", 0.1)
    queue.cancel(["1"])
