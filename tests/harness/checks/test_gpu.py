"""GPUs that were slowed down during the window, and only then."""

from __future__ import annotations

import numpy as np
import pytest

from harness import checks
from harness.energy.series import Series
from tests.campaigns import channel

REASONS = channel("nvml/gpu-1/clocks_event_reasons", "nvml", "bits", "gpu")


def messages(*bits: int) -> list[str]:
    """One reading a second, the first and the last outside the window."""
    t_ns = np.arange(len(bits)) * 10**9
    series = Series(REASONS, t_ns, np.array(bits, dtype=np.float64))
    return [one.message for one in checks.gpu_slowed([series], 10**9, (len(bits) - 2) * 10**9)]


@pytest.mark.parametrize(
    ("bits", "words"),
    [
        ((0, 0, 0, 0), None),
        ((0, 1, 2, 0), None),  # idle; clocks set by the user
        ((0x40, 0, 0, 0x40), None),  # before and after
        ((0, 0x40, 0, 0), "heat (hardware)"),
        ((0, 0x04, 0xA0, 0), "power cap, heat (software), power brake"),
    ],
)
def test_a_gpu_that_was_slowed_down_names_the_reasons(bits: tuple[int, ...], words: str | None) -> None:
    assert messages(*bits) == ([] if words is None else [f"gpu-1 was slowed down: {words}"])
