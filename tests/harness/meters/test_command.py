"""Programs that print watts or joules: read beside the sampling, stamped with their own time, never 0."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from harness.meters import command
from harness.meters.base import MeterLost, Reader
from harness.meters.command import CommandSpec, Stamped
from harness.records import ChannelKind, Unavailable

pytestmark = pytest.mark.unhurried


def spec(code: str, **more: object) -> CommandSpec:
    values: dict[str, object] = {"unit": "W", "period_s": 0.05, "timeout_s": 5.0, **more}
    return CommandSpec("plug", (sys.executable, "-S", "-c", code), **values)  # type: ignore[arg-type]


def found(one: CommandSpec) -> command.CommandMeter:
    meter = command.find(one)
    assert isinstance(meter, command.CommandMeter)
    return meter


def unavailable(one: CommandSpec) -> str:
    answer = command.find(one)
    assert isinstance(answer, Unavailable)
    assert answer.remedy
    return answer.reason


def wait_for(read: Reader, limit_s: float = 10.0) -> dict[str, float]:
    """The first readings there are."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        if readings := read():
            return readings
        time.sleep(0.005)
    raise AssertionError("no reading")


def programs(mark: str) -> list[psutil.Process]:
    """Our children whose arguments hold the mark."""
    return [child for child in psutil.Process().children() if mark in " ".join(child.cmdline())]


def test_watts_are_a_gauge_and_joules_a_counter_of_a_boundary_of_its_own() -> None:
    watts, joules = found(spec("print(42.5)")).channels[0], found(spec("print(9)", unit="J")).channels[0]
    assert (watts.name, watts.kind, watts.domain) == ("command/plug", ChannelKind.GAUGE, "command:plug")
    assert joules.kind is ChannelKind.COUNTER
    assert not watts.boundary and not joules.boundary


def test_a_reading_carries_the_time_at_which_the_program_ran() -> None:
    before_ns = time.monotonic_ns()
    read = found(spec("print(42.5)")).open(None)
    reading = wait_for(read)["command/plug"]
    assert reading == 42.5
    assert isinstance(reading, Stamped)
    assert before_ns < reading.t_ns < time.monotonic_ns()


def test_a_pattern_finds_the_number_among_other_text() -> None:
    one = spec("print('Instantaneous power reading:   217 Watts')", pattern=r"reading:\s+(\d+) Watts")
    assert wait_for(found(one).open(None)) == {"command/plug": 217.0}


def test_each_run_of_the_program_is_handed_over_once_in_order(tmp_path: Path) -> None:
    count = f"import pathlib; p = pathlib.Path({str(tmp_path / 'n')!r}); n = len(p.read_text()) if p.exists() else 0;"
    read = found(spec(f"{count} p.write_text('x' * (n + 1)); print(n)", unit="J")).open(None)
    handed = [wait_for(read)["command/plug"] for _ in range(4)]
    assert handed == [1.0, 2.0, 3.0, 4.0]  # the trial was 0


def test_a_slow_program_delays_no_read() -> None:
    one = spec("import time; time.sleep(0.3); print(1)")
    read = found(one).open(None)
    slowest_s, end = 0.0, time.monotonic() + 1.0
    while time.monotonic() < end:
        began = time.monotonic()
        read()
        slowest_s = max(slowest_s, time.monotonic() - began)
        time.sleep(0.01)
    assert slowest_s < 0.1


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("print('N/A')", "printed no number: 'N/A'"),
        ("pass", "printed no number"),
        ("print('nan')", "printed nan"),
        ("print(-3)", "printed -3"),
        ("print(5); raise SystemExit(3)", "exit code 3"),
        ("import time; time.sleep(60)", "did not end in time"),
        ("import os, time; print(5); os.close(1); time.sleep(60)", "timed out"),
        ("while True: print('7' * 4000)", "printed more than 65536 bytes"),
    ],
)
def test_a_program_that_gives_no_number_is_refused_with_the_reason(code: str, reason: str) -> None:
    assert reason in unavailable(spec(code, timeout_s=1.0))


def test_a_program_that_is_not_there_is_refused() -> None:
    assert "no program 'no-such-program'" in unavailable(CommandSpec("plug", ("no-such-program",), "W", 1.0))


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"unit": "kWh"}, "'kWh', but must be W or J"),
        ({"period_s": 0.0}, "longer than 0 s"),
        ({"pattern": "("}, "no regular expression"),
        ({"pattern": r"\d+"}, "0 groups"),
        ({"pattern": r"(no such text)"}, "does not occur"),
    ],
)
def test_a_mistake_in_the_configuration_is_told(wrong: dict[str, object], reason: str) -> None:
    assert reason in unavailable(spec("print(42)", **wrong))


def test_no_shell_interprets_the_arguments(tmp_path: Path) -> None:
    one = CommandSpec("plug", ("echo", "1; touch", str(tmp_path / "made")), "W", 1.0)
    assert "printed no number" in unavailable(one)
    assert not (tmp_path / "made").exists()


def test_failures_are_no_readings_and_three_in_a_row_lose_the_meter(tmp_path: Path) -> None:
    switch, runs = tmp_path / "broken", tmp_path / "runs"
    code = (
        f"import pathlib; pathlib.Path({str(runs)!r}).open('a').write('x')\n"
        f"print('error' if pathlib.Path({str(switch)!r}).exists() else 8)"
    )
    read = found(spec(code)).open(None)
    assert wait_for(read) == {"command/plug": 8.0}
    switch.touch()
    values: set[float] = set()
    with pytest.raises(MeterLost, match="it gave no reading 3 times: it printed no number: 'error'"):
        for _ in range(1000):
            values |= set(read().values())
            time.sleep(0.01)
    assert values <= {8.0}  # those of before the failure, and no 0
    ran = len(runs.read_text())
    time.sleep(0.3)
    assert len(runs.read_text()) == ran  # a lost meter runs its program no more


def test_a_failure_between_readings_is_forgiven(tmp_path: Path) -> None:
    code = (
        f"import pathlib; p = pathlib.Path({str(tmp_path / 'n')!r}); n = len(p.read_text()) if p.exists() else 0\n"
        "p.write_text('x' * (n + 1)); print(n if n % 3 == 0 else 'error')"
    )
    read = found(spec(code)).open(None)
    assert [wait_for(read)["command/plug"] for _ in range(3)] == [3.0, 6.0, 9.0]


def test_a_hanging_program_and_its_thread_end_with_the_reader(tmp_path: Path) -> None:
    switch, hung = tmp_path / "hang", tmp_path / "hung"
    code = (
        f"import pathlib, time\nif pathlib.Path({str(switch)!r}).exists():\n"
        f"    pathlib.Path({str(hung)!r}).touch(); time.sleep(60)\nprint(1)"
    )
    read = found(spec(code, timeout_s=60.0)).open(None)
    switch.touch()
    while not hung.exists():
        time.sleep(0.01)
    assert programs(str(hung))
    del read
    assert not [thread for thread in threading.enumerate() if thread.name == "command plug"]
    assert not programs(str(hung))
