"""A counter that was reset, misread or stopped makes its run invalid: physics bounds what it may show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from harness import checks
from harness.energy.joules import doubts_of, idle_power_w, run_energy
from harness.energy.series import Series, increase
from harness.records import ChannelKind, Finding
from tests.emulators.counters import (
    Fault,
    Sensor,
    Truth,
    drawn,
    freeze,
    glitch,
    jump,
    readings_s,
    reset,
    shown,
)

PACKAGE = Sensor(offset_j=230_000.0)
SECOND = Sensor(name="rapl/package-1", offset_j=1000.0)
DRAM = Sensor(name="rapl/package-0/dram", domain="dram")
GPU = Sensor(
    name="nvml/gpu-0/energy",
    meter="nvml",
    domain="gpu",
    update_s=0.1,
    unit_j=0.001,
    range_j=None,
    known_unit=True,
)
LENGTH_S, BEGIN_S, END_S = 12.0, 1.0, 11.0
WINDOW = int(BEGIN_S * 1e9), int(END_S * 1e9)
TRUTH = drawn(np.array([20.0, 35.0, 25.0]), np.array([3.0, 6.0, 5.0]))


def seen(
    *sensors: Sensor,
    truth: Truth = TRUTH,
    seed: int = 1,
    gaps_s: tuple[float, ...] = (),
    length_s: float = LENGTH_S,
) -> list[Series]:
    """All sensors read together by one sampler."""
    generator = np.random.default_rng(seed)
    t_s = readings_s(generator, length_s, gaps_s=np.array(gaps_s))
    return [shown(generator, sensor, truth, t_s) for sensor in sensors]


def findings(series: list[Series], window: tuple[int, int] = WINDOW) -> list[Finding]:
    return [
        *checks.counter_impossible(series, *window),
        *checks.counter_stood_still(series, *window),
        *checks.part_exceeds_whole(series, *window),
    ]


def codes(series: list[Series]) -> list[str]:
    assert all(one.severity == "invalid" for one in findings(series))
    return [one.code for one in findings(series)]


@pytest.mark.parametrize("sensor", [PACKAGE, DRAM, GPU], ids=lambda one: one.domain)
@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (reset(5.0), "counter-impossible"),
        (glitch(5.0, -20.0), "counter-impossible"),
        (glitch(5.0, 5000.0), "counter-impossible"),
        (jump(5.0, 2000.0), "counter-impossible"),
        (jump(5.0, -2000.0), "counter-impossible"),
        (freeze(4.0, 99.0), "counter-stood-still"),
        (freeze(0.0, 99.0), "counter-stood-still"),
        (freeze(4.0, 7.0), "counter-stood-still"),
        (freeze(4.0, 7.0, catches_up=True), "counter-stood-still"),
        (freeze(9.0, 99.0), "counter-stood-still"),
    ],
)
def test_a_fault_within_the_run_makes_it_invalid(sensor: Sensor, fault: Fault, code: str) -> None:
    if sensor.range_j is None:
        sensor = replace(sensor, offset_j=5000.0)
    (series,) = seen(sensor.faulty(_at_zero(fault, sensor)))
    assert code in codes([series])
    energy = run_energy([series], [sensor.channel], *WINDOW, doubts_of([series]))
    assert energy.energy_j is None
    assert sensor.name in energy.reason


def _at_zero(fault: Fault, sensor: Sensor) -> Fault:
    """A reset begins anew at 0, whatever the register held before."""
    return reset(5.0, sensor.offset_j) if fault.__qualname__.startswith("reset") else fault


def test_a_reset_is_no_wrap() -> None:
    """30 588 J instead of 242 J: by the range, the register seems to have gone round."""
    (series,) = seen(PACKAGE.faulty(reset(5.0, PACKAGE.offset_j)))
    booked = increase(series, *WINDOW)
    assert booked is not None
    assert booked.value > 30_000
    (found,) = findings([series])
    assert "rapl/package-0 went from 2301" in found.message
    assert "4.0" in found.message.split("J ")[2]  # seconds into the run, which begins 1 s into the recording
    assert "cpu_package draws at most 1000 W" in found.message


@pytest.mark.parametrize("sensor", [PACKAGE, DRAM, GPU], ids=lambda one: one.domain)
@pytest.mark.parametrize("gaps_s", [(), (2.0,), (6.0,)])
def test_a_wrap_remains_a_wrap(sensor: Sensor, gaps_s: tuple[float, ...]) -> None:
    for seed in range(20):
        near_the_end = sensor if sensor.range_j is None else replace(sensor, offset_j=sensor.range_j - 150.0)
        (series,) = seen(near_the_end, seed=seed, gaps_s=gaps_s)
        assert findings([series]) == []
        found = increase(series, *WINDOW)
        assert found is not None
        assert found.value == pytest.approx(TRUTH.between(BEGIN_S, END_S), rel=0.15 if gaps_s else 0.02)


@pytest.mark.parametrize(("held_j", "seen"), [(100_000.0, True), (200_000.0, True), (250_000.0, False)])
def test_a_reset_in_a_long_gap_is_told_by_the_power_elsewhere(held_j: float, seen: bool) -> None:
    """Over 300 s a wrap would mean 550, 220 or 52 W, which a package may draw; but this one draws 30 W all the time."""
    truth = drawn(np.array([30.0]), np.array([1000.0]))
    t_s = np.concatenate((np.arange(0, 320, 0.1), np.arange(620, 940, 0.1)))
    since_reset_j = 120 * 30.0
    broken = replace(PACKAGE, offset_j=held_j).faulty(reset(620.0, held_j - since_reset_j))
    series = shown(np.random.default_rng(1), broken, truth, t_s)
    found = [*checks.counter_impossible([series], 0, int(940e9))]
    assert ["a reset cannot be told from a wrap" in one.message for one in found] == [True] * seen


def test_one_of_two_sockets_that_stops_is_seen() -> None:
    """625 J for 938 J: the sum keeps growing, and nothing betrays it."""
    series = seen(PACKAGE, SECOND.faulty(freeze(4.0, 99.0)), DRAM)
    (found,) = findings(series)
    assert found.code == "counter-stood-still"
    assert "rapl/package-1 stood still" in found.message
    assert "from 3." in found.message or "from 2.9" in found.message


@pytest.mark.parametrize("known", [True, False])
def test_a_counter_that_never_moved_within_a_short_run_is_not_0_joules(known: bool) -> None:
    series = seen(replace(PACKAGE, known_update=known).faulty(freeze(0.0, 99.0)), length_s=4.0)
    (found,) = findings(series, (int(0.5e9), int(3.5e9)))
    assert (found.code, found.severity) == ("counter-stood-still", "invalid")


@pytest.mark.parametrize("update_s", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("known", [True, False])
def test_a_slow_sensor_has_the_time_that_it_takes(update_s: float, known: bool) -> None:
    slow = replace(PACKAGE, update_s=update_s, jitter=0.2, known_update=known)
    truth = drawn(np.array([3.0]), np.array([70.0]))
    for seed in range(10):
        series = seen(slow, truth=truth, seed=seed, length_s=60.0)
        assert findings(series, (int(2e9), int(58e9))) == []
    series = seen(slow.faulty(freeze(20.0, 55.0)), truth=truth, length_s=60.0)
    assert [one.code for one in findings(series, (int(2e9), int(58e9)))] == ["counter-stood-still"]


def test_an_idle_memory_of_coarse_steps_hardly_moves_and_is_sound() -> None:
    truth = drawn(np.array([5.0, 0.1, 5.0]), np.array([20.0, 25.0, 25.0]))
    coarse = replace(DRAM, unit_j=1.0, known_unit=True)
    assert findings(seen(coarse, truth=truth, length_s=65.0), (int(1e9), int(64e9))) == []


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(("busy_s", "idle_s"), [(60.0, 28.0), (10.0, 100.0)])
def test_one_that_rests_seldom_or_mostly_has_the_time_of_its_step(
    known: bool, busy_s: float, idle_s: float
) -> None:
    """Steps of 1 J: five a second under load, one in 7 s when idle."""
    truth = drawn(np.array([4.0, 15.0, 0.14]), np.array([5.0, busy_s - 5, idle_s]))
    coarse = replace(DRAM, unit_j=1.0, known_unit=known, known_update=False)
    length_s = busy_s + idle_s
    assert findings(seen(coarse, truth=truth, length_s=length_s), (int(1e9), int((length_s - 1) * 1e9))) == []
    broken = coarse.faulty(freeze(busy_s / 2, 1e9))
    stopped = findings(seen(broken, truth=truth, length_s=length_s), (int(1e9), int((length_s - 1) * 1e9)))
    assert [one.code for one in stopped] == ["counter-stood-still"]


def test_a_mostly_idle_register_is_held_to_its_usual_period() -> None:
    """Of 5 s, which nobody knows beforehand; at first it moved much faster."""
    slow = replace(PACKAGE, known_update=False)
    t_s = np.arange(0, 200, 0.1)
    held_s = np.where(t_s < 1, t_s, np.floor(t_s / 5) * 5 + 1)
    series = Series(slow.channel, (t_s * 1e9).astype(np.int64), 20.0 * held_s + 0.001 * np.sin(held_s))
    assert findings([series], (0, int(199e9))) == []


def test_what_broke_before_the_run_is_not_its_own() -> None:
    for fault in (reset(0.5, PACKAGE.offset_j), glitch(0.5, -20.0), jump(0.4, 5000.0)):
        assert findings(seen(PACKAGE.faulty(fault))) == []


def test_a_second_opinion_that_is_wrong_is_a_warning() -> None:
    board = replace(
        GPU, name="hwmon/board/energy1_input", meter="hwmon", domain="hwmon:board", boundary=False
    )
    series = seen(PACKAGE, replace(board, offset_j=900.0).faulty(jump(5.0, -500.0)))
    (found,) = findings(series)
    assert (found.code, found.severity) == ("counter-impossible", "warning")
    assert "ran backwards" in found.message


def test_a_platform_has_at_least_its_packages() -> None:
    psys = Sensor(name="rapl/psys", domain="psys", boundary=False, covers=("cpu_package",))
    assert findings(seen(PACKAGE, psys)) == []
    series = seen(PACKAGE, psys.faulty(freeze(4.0, 99.0)))
    (found,) = findings(series)
    assert (found.code, found.severity) == ("part-exceeds-whole", "invalid")
    assert "rapl/psys grew by 0 J while cpu_package, which it covers, grew by 3" in found.message
    (found,) = findings(seen(replace(PACKAGE, domain="cpu_package").faulty(jump(5.0, 90.0)), psys))
    assert (
        found.code == "part-exceeds-whole"
    )  # 90 J more within a second: possible, but not inside this platform
    assert findings(seen(PACKAGE, replace(psys, covers=()).faulty(freeze(4.0, 99.0)))) == []


def test_an_idle_machine_whose_counter_broke_has_no_idle_power() -> None:
    (sound,) = seen(PACKAGE)
    assert idle_power_w([sound], [PACKAGE.channel]) == pytest.approx(TRUTH.between(0, 12) / 12, rel=0.02)
    (broken,) = seen(PACKAGE.faulty(reset(5.0, PACKAGE.offset_j)))
    assert idle_power_w([broken], [PACKAGE.channel]) is None


def power(values: list[float], domain: str = "gpu") -> Series:
    """A gauge read once a second."""
    channel = GPU.channel.model_copy(
        update={"name": "nvml/gpu-0/power_instant", "unit": "W", "kind": ChannelKind.GAUGE, "domain": domain}
    )
    return Series(channel, np.arange(len(values)) * 10**9, np.array(values, dtype=np.float64))


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ([300.0, 310.0, 305.0, 301.0], None),
        ([300.0, 310.0, 4e6, 301.0], "counter-impossible"),
        ([300.0, 310.0, -5.0, 301.0], "counter-impossible"),
        ([0.0, 0.0, 0.0, 0.0], "counter-stood-still"),
    ],
)
def test_a_power_that_cannot_be_makes_the_run_invalid(values: list[float], code: str | None) -> None:
    assert codes_of(power(values), 3) == ([code] if code else [])


def test_a_battery_that_is_charged_is_no_fault() -> None:
    charged = power([-20.0, -19.0, -20.0], domain="hwmon:battery")
    board = charged.channel.model_copy(update={"meter": "hwmon", "boundary": False})
    assert codes_of(replace(charged, channel=board), 2) == []


def codes_of(series: Series, seconds: int) -> list[str]:
    return [one.code for one in findings([series], (0, seconds * 10**9))]


@pytest.mark.parametrize(("repeated", "told"), [(50, []), (70, ["warning"])])
def test_a_power_that_repeats_for_a_minute_is_doubtful(repeated: int, told: list[str]) -> None:
    series = power([300.0, 310.0] * 10 + [305.11] * repeated + [300.0, 310.0] * 10)
    found = [*checks.power_repeats([series], 0, (40 + repeated) * 10**9)]
    assert [one.severity for one in found] == told
    assert codes_of(series, 30) == []
