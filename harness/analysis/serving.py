"""What a run's prefill and its decoding took, apart: of stages of which these are the parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from harness.energy.series import seconds
from harness.worker.phases import Phase

PREFILL, DECODE, PARTS = "prefill", "decode", "parts"  # the last one: both together
PROMPT_TOKEN, GENERATED_TOKEN = "prompt_token", "generated_token"  # units of work: what each of them does
ROOM = ("padding", "cache_bytes")
LATENCIES = ("first_token_s", "output_token_s", "output_token_p95_s")
SERVED = [
    *(f"{part}_{number}" for part in (PREFILL, DECODE, PARTS) for number in ("energy_j", "energy_uncertainty_j")),
    *(f"{part}_duration_s" for part in (PREFILL, DECODE)),
    *LATENCIES,
    *ROOM,
]  # fmt: skip


def serves(parts: Iterable[str]) -> bool:
    return {PREFILL, DECODE} <= set(parts)


def latencies(several: Sequence[Phase], work: Mapping[str, Any]) -> dict[str, float | None]:
    """LATENCIES, in seconds, of requests in static batches, each of which is a phase of either part.

    The first token comes from the prefill, for which its whole batch waits; the others from decoding, a step for each
    of them: a phase's time over the tokens that each request is given there. Of `work`, a run's own event of this
    kind.
    """
    first, later = (_durations_s(several, name) for name in (PREFILL, DECODE))
    units, samples = work.get("units") or {}, work.get("samples") or 0
    each = units.get(GENERATED_TOKEN, 0) / samples if samples else 0.0
    steps_s = later / each if each else later[:0]
    return {
        "first_token_s": float(first.mean()) if len(first) else None,
        "output_token_s": float(np.median(steps_s)) if len(steps_s) else None,
        "output_token_p95_s": float(np.quantile(steps_s, 0.95)) if len(steps_s) else None,
    }


def room(work: Mapping[str, Any]) -> dict[str, float | None]:
    """ROOM: of the tokens that prefills computed, the share that is no request's; bytes of a batch's cache."""
    padding, prompts = work.get("padding_tokens"), (work.get("units") or {}).get(PROMPT_TOKEN)
    share = None if padding is None or not prompts else padding / (padding + prompts)
    return {"padding": share, "cache_bytes": work.get("cache_bytes")}


def _durations_s(several: Sequence[Phase], name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([seconds(one.begin_ns, one.end_ns) for one in several if one.name == name])
