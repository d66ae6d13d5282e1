"""A machine that was not the run's alone, or did not run evenly, says so."""

from __future__ import annotations

import numpy as np
import pytest

from harness import checks
from harness.checks import host_changed
from harness.energy.series import Series
from harness.meters import host, process
from harness.records import Finding
from tests.campaigns import channel

WINDOW = 0, 10 * 10**9


def counters(**growth: float) -> list[Series]:
    """Counters that grow evenly by so much over ten seconds."""
    names = {
        "busy_s": host.CPU_BUSY, "own_s": process.CPU_TIME, "stolen_s": host.CPU_STOLEN,
        "swapped": host.SWAPPED_OUT, "throttles": host.THROTTLES, "clock_s": host.WALL_CLOCK,
    }  # fmt: skip
    t_ns = np.array([0, 5, 10]) * 10**9
    return [
        Series(channel(names[name], "host", "s", "host"), t_ns, 7 + np.array([0, amount / 2, amount]))
        for name, amount in growth.items()
    ]


def found(**growth: float) -> list[Finding]:
    series = counters(**growth)
    return [*checks.machine_shared(series, *WINDOW), *checks.machine_strained(series, *WINDOW)]


@pytest.mark.parametrize(
    ("growth", "codes"),
    [
        ({"busy_s": 15.9, "own_s": 15.0}, []),
        ({"busy_s": 16.1, "own_s": 15.0}, ["foreign-load"]),
        ({"busy_s": 16.1}, []),  # without the run's own share nothing can be told
        ({"stolen_s": 0.19}, []),
        ({"stolen_s": 0.21}, ["cpu-stolen"]),
        ({"swapped": 0.0, "throttles": 0.0, "clock_s": 10.09}, []),
        ({"swapped": 4096.0}, ["swap-used"]),
        ({"throttles": 1.0}, ["cpu-throttled"]),
        ({"clock_s": 10.2}, ["clock-jumped"]),
        ({"clock_s": -50.0}, ["clock-jumped"]),
        ({}, []),
    ],
)
def test_what_disturbed_the_run_is_found(growth: dict[str, float], codes: list[str]) -> None:
    assert [finding.code for finding in found(**growth)] == codes
    assert all(finding.severity == "warning" for finding in found(**growth))


def test_what_looked_at_the_run_is_no_foreign_load() -> None:
    series = counters(busy_s=16.9, own_s=15.0)
    assert list(checks.machine_shared(series, *WINDOW, watching_cpu_s=1.0)) == []
    (left,) = checks.machine_shared(series, *WINDOW, watching_cpu_s=0.7)
    assert "0.12 CPUs" in left.message


def test_the_jump_is_told_with_its_sign() -> None:
    assert "-60.00 s" in found(clock_s=-50.0)[0].message
    assert "0.11 CPUs" in found(busy_s=16.1, own_s=15.0)[0].message


def test_a_jump_right_after_the_begin_is_told_whole() -> None:
    """Its reading before the jump lies before the window: nothing of the jump is interpolated away."""
    t_ns = np.array([0, 5, 10]) * 10**9
    clock = Series(channel(host.WALL_CLOCK, "host", "s", "host"), t_ns, np.array([0.0, 3605.0, 3610.0]))
    (jumped,) = checks.machine_strained([clock], 4 * 10**9, 9 * 10**9)
    assert "+3600.00 s" in jumped.message


def test_a_knob_turned_during_a_run_is_named() -> None:
    before = {"turbo": False, "gpus": {"GPU-1": {"power_limit_w": 300.0}}}
    after = {"turbo": True, "gpus": {"GPU-1": {"power_limit_w": 300.0}}}
    (found,) = host_changed(before, after)
    assert (found.code, found.severity) == ("host-changed", "warning")
    assert found.message.endswith("turbo: False -> True")
    assert list(host_changed(before, before)) == []
