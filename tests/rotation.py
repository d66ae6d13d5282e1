"""A share of what is dear: which ones, the content of suite/ says, so that they change with what they try."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from harness import paths

STRIDE = 17  # neighbours in the alphabet are alike


def rotating(names: Iterable[str], count: int) -> list[str]:
    """So many of them, for every CI; `make test-slow` tries the others."""
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(paths.SUITE.rglob("*.py"))))
    several, start = sorted(names), int(digest.hexdigest(), 16)
    return list(dict.fromkeys(several[(start + place * STRIDE) % len(several)] for place in range(count)))
