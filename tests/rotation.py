"""A share of what is dear: which ones, the content of suite/ says, so that they change with what they try."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable
from functools import cache

from harness import paths


def rotating(names: Iterable[str], count: int) -> list[str]:
    """So many of them, for every CI; `make test-slow` tries the others."""
    return random.Random(_content()).sample(sorted(names), count)


@cache
def _content() -> str:
    return hashlib.sha256(
        b"".join(path.read_bytes() for path in sorted(paths.SUITE.rglob("*.py")))
    ).hexdigest()
