"""What requests waited for that came one by one while others were answered: of stages whose one part is `answer`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from suite.protocol import STAMPS, Event

ANSWER = "answer"
ANSWER_TOKEN = "answer_token"  # the unit of work: tokens that requests were given, the first ones too
WAITS = ("request_s", "request_p95_s", "request_first_token_s", "request_first_token_p95_s")
SLOTS = ("idle_slots", "cache_bytes")
ANSWERED = [*WAITS, "parts_energy_j", "parts_energy_uncertainty_j", "parts_duration_s", *SLOTS]
NS = 1e9


def arrive(parts: Iterable[str]) -> bool:
    return ANSWER in parts


def waits(events: Sequence[Event]) -> dict[str, float | None]:
    """WAITS, in seconds from a request's arrival, whenever it is admitted; unknown where a stamp is before another."""
    told = [one.data for one in events if one.kind == "requests"]
    arrived, first, last = (np.array([at for one in told for at in one[name]], np.int64) for name in STAMPS)
    if not len(arrived) or (first < arrived).any() or (last < first).any():
        return dict.fromkeys(WAITS)
    pairs = ((end - arrived, level) for end in (last, first) for level in (0.5, 0.95))
    return {name: float(np.quantile(*pair)) / NS for name, pair in zip(WAITS, pairs, strict=True)}


def slots(work: Mapping[str, Any]) -> dict[str, float | None]:
    """SLOTS: the share of rows in all steps that were of no request, and bytes; `work`: of the run's own event."""
    idle, every = work.get("idle_slot_steps"), work.get("slot_steps")
    share = idle / every if every and idle is not None and idle <= every else None
    return {"idle_slots": share, "cache_bytes": work.get("cache_bytes")}
