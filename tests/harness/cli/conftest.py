"""Runs the `suite` program inside the test's process, as a user's shell would."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from harness.cli import main, screen

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
        with pytest.raises(SystemExit) as ended:
            main()
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
