"""A share of what is dear: which ones, the content of what they try says, so that they change with it."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable
from functools import cache

from harness import paths

# The workloads, what proves them, and what they run on.
TRIED = (
    paths.SUITE.rglob("*.py"), (paths.ROOT / "harness/conformance").rglob("*.py"), paths.IMAGES.rglob("*.lock"),
)  # fmt: skip


def rotating(names: Iterable[str], count: int) -> list[str]:
    """So many of them, for every CI; `make test-slow` tries the others."""
    return random.Random(_content()).sample(sorted(names), count)


@cache
def _content() -> str:
    return hashlib.sha256(
        b"".join(path.read_bytes() for place in TRIED for path in sorted(place))
    ).hexdigest()
