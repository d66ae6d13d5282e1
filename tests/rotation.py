"""A share of what is dear: which ones, the content of what they try says, so that they change with it.

Each state of that content draws anew, from all, so that nothing stays out; `make test-slow` tries all at once.
About so many states it takes until all had their turn, in half and in nine of ten of random courses of them:

| what | a share | half | nine of ten |
|---|---|---:|---:|
| proofs in float32 (tests/proofs.py) | 190 s of CPU of 1034: 1 to 5 of 13 workloads | 19 | 37 |
| proofs in float64 (tests/proofs.py) | PyTorch, and 1 of the 3 others for each of 13 workloads | 7 | 10 |
| a training of all frameworks (tests/harness/cli/test_run.py) | svm, and 2 of the 15 others | 29 | 49 |
| proofs of other backends of Keras (tests/suite/test_conformance.py) | 1 of 26, a workload on one backend | 94 | 143 |
| a hundred steps (tests/suite/test_hundred_steps.py) | 2 of 35, a workload on a framework | 69 | 100 |
| modes and bfloat16 (tests/suite/test_modes_and_precisions.py) | PyTorch, and 1 of the 3 others | 5 | 9 |
| layers in 16 bits (tests/suite/test_sixteen_bits.py) | 1 of 3 workloads | 5 | 9 |
| an image that takes minutes (tests/harness/cli/test_run.py) | 1 of 2 | 2 | 5 |
| planted faults (tests/mutants) | 2 of 226 | 680 | 870 |

Every CI proves all workloads in float64, each in PyTorch and in the one of the others that it was dealt, and finds
that each fault still has its place.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import cycle

from harness import paths

# The workloads, what proves them, and what they run on.
TRIED = (
    paths.SUITE.rglob("*.py"), (paths.ROOT / "harness/conformance").rglob("*.py"), paths.IMAGES.rglob("*.lock"),
)  # fmt: skip


def rotating(names: Iterable[str], count: int) -> list[str]:
    """So many of them, for every CI; `make test-slow` tries the others."""
    return random.Random(_content()).sample(sorted(names), count)


def within(costs_s: Mapping[str, float], most_s: float) -> list[str]:
    """As `rotating`, but of those whose costs differ: in a random order, each that what is left of `most_s` pays for.

    Raises: ValueError where one costs more than that alone: it would never have its turn.
    """
    if dear := [name for name, cost_s in costs_s.items() if cost_s > most_s]:
        raise ValueError(f"never in {most_s:g} s: {', '.join(dear)}")
    chosen, left_s = [], most_s
    for name in rotating(costs_s, len(costs_s)):
        if costs_s[name] <= left_s:
            chosen.append(name)
            left_s -= costs_s[name]
    return chosen


def dealt(names: Iterable[str], hands: Iterable[str]) -> dict[str, str]:
    """To each name one of `hands`, of which each gets as many as another, or one more."""
    of, to = list(names), list(hands)
    return dict(zip(rotating(of, len(of)), cycle(rotating(to, len(to))), strict=False))


@cache
def _content() -> str:
    return hashlib.sha256(
        b"".join(path.read_bytes() for place in TRIED for path in sorted(place))
    ).hexdigest()
