"""What came of requests that arrived one by one while others were answered, and when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from suite.protocol import REQUESTS_PART, STAMPS
from suite.spec import Arrays


@dataclass(frozen=True)
class Served:
    """Named outputs [n, ...] of requests [n], and STAMPS [n] of each, in nanoseconds of CLOCK_MONOTONIC.

    `slots`: `slot_steps`, the rows of all steps, and `idle_slot_steps`, those of no request.
    """

    outputs: Arrays
    arrived_ns: np.ndarray
    first_token_ns: np.ndarray
    last_token_ns: np.ndarray
    slots: Mapping[str, int]

    def stamps(self) -> Iterator[dict[str, list[int]]]:
        """As events tell them, some requests in each."""
        for start in range(0, len(self.arrived_ns), REQUESTS_PART):
            part = slice(start, start + REQUESTS_PART)
            yield {name: getattr(self, name)[part].tolist() for name in STAMPS}
