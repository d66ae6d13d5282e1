"""Latencies of static batches of unlike length, by hand: a campaign that is made up has batches that are all alike."""

from __future__ import annotations

import numpy as np
import pytest

from harness.analysis.serving import latencies
from harness.worker.phases import Phase, passes, windows

DECODED_S = [0.3, 0.5, 0.4, 1.3, 0.6]
WORK = {"samples": 40, "units": {"generated_token": 40 * 10}}


def told() -> list[Phase]:
    """Two passes, of three batches and of two, each of which is read a tenth as long as it is written; 1 ms between."""
    found, at_ns = [], 0
    for several in (DECODED_S[:3], DECODED_S[3:]):
        for name, share in (("prefill", 0.1), ("decode", 1.0)):
            for one in several:
                found.append(Phase(name, None, at_ns, end := at_ns + round(one * share * 1e9)))
                at_ns = end + 1_000_000
    return found


def test_each_token_is_a_step_of_its_own_batch_and_the_first_one_a_prefill() -> None:
    found = latencies(told(), WORK)
    assert found["first_token_s"] == pytest.approx(0.062)
    assert found["output_token_s"] == pytest.approx(0.05)
    assert found["output_token_p95_s"] == pytest.approx(np.interp(0.95 * 4, [3, 4], [0.06, 0.13]))


def test_a_part_of_a_pass_is_one_window_with_the_moments_between_its_batches() -> None:
    several = told()
    first, second = windows(several, "decode")
    assert (second.end_ns - second.begin_ns) / 1e9 == pytest.approx(1.9 + 0.001)
    assert (first.begin_ns, first.end_ns) == (several[3].begin_ns, several[5].end_ns)
    both = passes([windows(several, name) for name in ("prefill", "decode")])
    assert [(one.begin_ns, one.end_ns) for one in both] == [
        (several[0].begin_ns, several[5].end_ns), (several[6].begin_ns, several[9].end_ns),
    ]  # fmt: skip
