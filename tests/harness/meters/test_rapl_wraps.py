"""Laws of counters that wrap, over any waveform."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.energy.power_limits import ceiling_w
from harness.energy.series import Series, unwrap, wrap_hidden
from harness.records import Channel, ChannelKind, Provenance
from tests.emulators.waveforms import Waveform, bursts, constant, ramp

pytestmark = pytest.mark.unhurried

WAVEFORMS = st.one_of(
    st.builds(constant, st.floats(0, 500)),
    st.builds(bursts, st.floats(0, 100), st.floats(100, 900), st.floats(0.01, 5), st.floats(0.1, 0.9)),
    st.builds(ramp, st.floats(0, 500), st.floats(0, 500), st.floats(0.1, 50)),
)
MAX_POWER_W = ceiling_w("cpu_package")
CHANNEL = Channel(
    name="rapl/package-0",
    meter="rapl",
    unit="J",
    kind=ChannelKind.COUNTER,
    provenance=Provenance.SIMULATED,
    domain="cpu_package",
    wraps_at=65.5,
)


@settings(max_examples=200, deadline=None)
@given(WAVEFORMS, st.lists(st.floats(0.001, 0.5), min_size=2, max_size=40), st.floats(0, 65.5))
def test_where_no_gap_hides_a_wrap_unwrapping_gives_the_truth(
    wave: Waveform, gaps_s: list[float], offset_j: float
) -> None:
    t_s = np.cumsum([0.0, *gaps_s])
    true_j = np.array([wave(one) for one in t_s])
    readings = np.mod(true_j + offset_j, 65.5)
    series = Series(CHANNEL, (t_s * 1e9).astype(np.int64), readings)
    if not wrap_hidden(series, MAX_POWER_W):
        assert unwrap(readings, 65.5) == pytest.approx(true_j, abs=1e-6)


@given(st.floats(60.0, 600.0))
def test_a_gap_that_could_hide_a_wrap_at_full_power_is_told(gap_s: float) -> None:
    channel = CHANNEL.model_copy(update={"wraps_at": 65_532.6})  # of a 32-bit counter at 15.3 uJ
    t_ns = np.array([0, 100_000_000, 100_000_000 + int(gap_s * 1e9)])
    hidden = wrap_hidden(Series(channel, t_ns, np.zeros(3)), MAX_POWER_W)
    assert hidden is (gap_s * MAX_POWER_W >= 65_532.6)


@given(WAVEFORMS, st.floats(0, 60), st.floats(0, 60))
def test_an_emulated_waveform_never_runs_backwards(wave: Waveform, t_s: float, more_s: float) -> None:
    assert wave(t_s + more_s) - wave(t_s) >= -1e-6 * (1 + wave(t_s))
    assert wave(0.0) == 0.0
