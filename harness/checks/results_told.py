"""What a run that counts must have told of its work, while it runs and when it is read. Pure."""

from __future__ import annotations

from collections.abc import Collection

from suite.protocol import CONTROL, REHEARSAL

RESULTS = {"metrics", "fingerprint", "work", "facts"}
WITHOUT_RESULTS = (CONTROL, REHEARSAL)  # stages that have nothing to tell of any work


def missing(kinds: Collection[str], stage: str) -> list[str]:
    """Of the kinds of events that a run of this stage sent: which are not there and have to be."""
    return [] if stage in WITHOUT_RESULTS else sorted(RESULTS.difference(kinds))


def words(names: Collection[str]) -> str:
    return f"the worker told nothing of its {' and '.join(names)}"
