"""Ctrl-C: the first one counts, none breaks off what must be done, and the handlers of before come back."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness import paths
from harness.environments import interrupts

NUMBERS = (signal.SIGINT, signal.SIGTERM)


@pytest.fixture(autouse=True)
def handlers() -> Iterator[list[object]]:
    """Those of before, which come back."""
    before = [signal.getsignal(number) for number in NUMBERS]
    yield list(before)
    interrupts._said = None  # or these tests would end pytest itself
    for number, handler in zip(NUMBERS, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.parametrize("number", NUMBERS)
def test_only_the_first_signal_interrupts(number: signal.Signals) -> None:
    cleaned_up = False
    interrupts.only_the_first()
    with pytest.raises(KeyboardInterrupt):
        try:
            signal.raise_signal(number)
        finally:
            for _ in range(5):
                signal.raise_signal(number)
            cleaned_up = True
    assert cleaned_up


def test_a_signal_waits_for_the_end_of_what_is_held(handlers: list[object]) -> None:
    done = False
    with pytest.raises(KeyboardInterrupt), interrupts.held():
        signal.raise_signal(signal.SIGINT)
        done = True
    assert done
    assert [signal.getsignal(number) for number in NUMBERS] == handlers


def test_a_held_signal_counts_once_where_only_the_first_counts() -> None:
    interrupts.only_the_first()
    with pytest.raises(KeyboardInterrupt), interrupts.held():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
    with interrupts.held():
        signal.raise_signal(signal.SIGINT)


def test_a_signal_is_not_lost_in_an_error_that_others_would_go_on_after() -> None:
    with pytest.raises(KeyboardInterrupt) as caught, interrupts.held():
        signal.raise_signal(signal.SIGINT)
        raise ValueError("mine")
    assert str(caught.value.__context__) == "mine"


def test_another_thread_may_hold_what_only_the_main_thread_hears() -> None:
    seen: list[str] = []

    def work() -> None:
        with interrupts.held():
            seen.append("done")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == ["done"]


def test_a_program_that_goes_on_all_the_same_can_be_interrupted_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A KeyboardInterrupt in a destructor is swallowed by the interpreter."""
    monkeypatch.setattr(interrupts, "CLEANING_UP_S", 0.05)
    interrupts.only_the_first()
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        time.sleep(0.06)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_program_that_is_ending_ends_as_it_says_whatever_comes(number: signal.Signals) -> None:
    """An interpreter that ends takes back the handlers of its program, then runs what is left of it."""
    program = """
import os, signal, sys
from harness import paths
from harness.environments import interrupts
class Last:
    def __del__(self, kill=os.kill, process=os.getpid(), number=int(sys.argv[1])): kill(process, number)
last = Last()
interrupts.only_the_first()
interrupts.no_more(130)
sys.exit(130)
"""
    assert subprocess.run([sys.executable, "-c", program, str(int(number))], cwd=paths.ROOT).returncode == 130


def test_an_interrupt_in_executed_text_does_not_end_the_program_by_a_signal(tmp_path: Path) -> None:
    """Data classes and named tuples execute text while they are imported; the exit code was -2 instead of 130."""
    program = """
from harness import cli
def strikes():
    print("half a line", end="")
    exec("raise KeyboardInterrupt")
cli.cli.main = lambda **_: strikes()
cli.main()
"""
    (tmp_path / "struck.py").write_text(program)
    found = {**os.environ, "PYTHONPATH": f"{paths.ROOT}:{tmp_path}"}
    ended = subprocess.run([sys.executable, "-m", "struck"], env=found, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "half a line", "interrupted\n")


def test_a_block_that_a_signal_broke_off_gives_no_handler_back_to_a_program_that_is_ending() -> None:
    """Struck between its beginning and its body, it ends when the interpreter clears away the error's frames."""
    interrupts.only_the_first()
    left = interrupts.held()
    left.__enter__()
    interrupts.no_more(130)
    del left
    gc.collect()
    assert {signal.getsignal(number) for number in NUMBERS} == {signal.SIG_IGN}
