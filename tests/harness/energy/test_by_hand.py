"""Parts of energies and of their uncertainties, each against what its formula gives by hand."""

from __future__ import annotations

from math import hypot, sqrt

import numpy as np
import pytest

from harness.energy.joules import idle_power_w, run_energy
from harness.energy.plausible import Breach
from harness.energy.series import COVERAGE, LATE, Series, gauge_integral, increase, wrap_hidden
from harness.energy.staleness import UNIFORM, _age_s
from harness.records import ChannelKind
from tests.campaigns import channel, energy_channels

COUNTER = channel("counter", "rapl", "J", "cpu_package", boundary=True)
GAUGE = channel("power", "nvml", "W", "gpu").model_copy(update={"kind": ChannelKind.GAUGE, "update_s": 1.0})
S = 10**9


def test_the_coarsest_counter_tells_the_step_of_a_sum() -> None:
    fine, coarse = (
        one.model_copy(update={"resolution": step_j})
        for one, step_j in zip(energy_channels("rapl"), (1.0, 5.0), strict=True)
    )
    t_ns = np.arange(0, 4) * S
    several = [Series(one, t_ns, 20.0 * np.arange(4)) for one in (fine, coarse)]
    assert run_energy(several, [fine, coarse], 0, 3 * S).resolution_j == 5.0


def test_idle_power_is_that_of_the_time_in_which_all_channels_were_read() -> None:
    package, dram = channels = energy_channels("rapl")
    early, late = np.arange(0, 8) * S, np.arange(3, 11) * S
    several = [Series(package, early, 10.0 * np.arange(8)), Series(dram, late, 3.0 * np.arange(8))]
    assert idle_power_w(several, channels) == pytest.approx(13.0)


def test_a_gap_in_which_a_counter_may_just_have_gone_round_hides_a_wrap() -> None:
    one = Series(COUNTER.model_copy(update={"wraps_at": 100.0}), np.array([0, 1]) * S, np.zeros(2))
    assert wrap_hidden(one, 100.0) and not wrap_hidden(one, 99.9)


def test_interpolation_is_as_unsure_as_power_varies_from_gap_to_gap_and_within_one() -> None:
    one = Series(COUNTER, np.arange(4) * S, np.array([0.0, 10.0, 30.0, 60.0]))
    between, within = np.std([10, 20, 30], ddof=1), 2 * 0.08 * 20
    found = increase(one, 0, 3 * S // 2)
    assert found is not None and found.uncertainty == pytest.approx(COVERAGE * 0.5 * hypot(between, within))


def test_a_border_at_a_reading_is_as_stale_as_that_reading() -> None:
    slow = COUNTER.model_copy(update={"update_s": 10.0})
    t_ns = np.array([0, 1, 2, 5, 6, 10, 11]) * S
    one = Series(slow, t_ns, 7.0 * t_ns / S)
    seen = one.updates
    begin, end = 2, 4
    found = increase(one, int(seen.t_ns[begin]), int(seen.t_ns[end]))
    powers = np.diff(seen.values) / np.diff(seen.t_ns)
    stale = [float(powers.mean()) * seen.spread_ns[place] for place in (begin, end)]
    assert len(set(seen.spread_ns.round())) > 1
    assert found is not None and found.uncertainty == pytest.approx(COVERAGE * hypot(*stale))


@pytest.mark.parametrize("jitter", [0.0, 0.3, 1.0])
def test_the_age_of_a_reading_is_that_of_renewal_theory(jitter: float) -> None:
    between = 2.0 * np.array([1 - jitter, 1 + jitter])  # s, either as often
    mean = (between**2).mean() / (2 * between.mean())
    square = (between**3).mean() / (3 * between.mean())
    assert _age_s(2.0, jitter) == pytest.approx((mean, sqrt(square - mean**2)))


def test_an_averaging_gauge_shows_a_rise_too_late_as_a_whole_and_at_both_borders() -> None:
    one = Series(GAUGE, np.arange(11) * S, np.arange(11) * 1.0)
    found = gauge_integral(one, 2 * S, 8 * S)
    trapezoids, unseen, late = UNIFORM * sqrt(6), hypot(1.0, 1.0), LATE * 6
    assert found is not None and found.value == pytest.approx(30.0)
    assert found.uncertainty == pytest.approx(COVERAGE * hypot(trapezoids, unseen, late))


def test_what_only_touches_an_interval_does_not_lie_in_it() -> None:
    one = Breach(COUNTER, 10, 20, 0.0, 0.0, 0.0, "it stood still")
    assert not one.overlaps(0, 10) and not one.overlaps(20, 30)
    assert one.overlaps(0, 11) and one.overlaps(19, 30)
