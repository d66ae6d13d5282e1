"""Runs the `suite` program inside the test's process, as a user's shell would; and a home for real runs."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.cli import main, screen
from harness.environments import interrupts
from tests.homes import link_environments

MISTAKE = 2


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str


@pytest.fixture
def suite(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    def run(*words: object) -> Answer:
        monkeypatch.setattr(screen.console, "stderr", False)  # whatever an earlier command has made of it
        monkeypatch.setattr(sys, "argv", ["suite", *map(str, words)])
        handlers = {number: signal.getsignal(number) for number in interrupts.SIGNALS}
        try:
            with pytest.raises(SystemExit) as ended:
                main()
        finally:  # a program keeps its own until it has ended
            for number, handler in handlers.items():
                signal.signal(number, handler)
        captured = capsys.readouterr()
        return Answer(int(ended.value.code or 0), captured.out, captured.err)

    return run


@pytest.fixture
def refused(suite: Callable[..., Answer]) -> Callable[..., str]:
    """A command that must end with exit code 2 and one line on stderr."""

    def run(*words: object) -> str:
        answer = suite(*words)
        assert answer.code == MISTAKE
        assert answer.err.count("\n") == 1
        assert answer.err.startswith("suite: ")
        return answer.err

    return run


@pytest.fixture
def shared_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with data sets of its own, but with the environments and wheels that are at hand already."""
    home = tmp_path / "home"
    link_environments(home)
    monkeypatch.setenv("JOULEMARK_HOME", str(home))
    return home
