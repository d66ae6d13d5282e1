"""Whether repetitions with one number really ran together: only then is a block more than a number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from harness.findings.codes import Code
from harness.importers.base import ImportedRun
from harness.records import Finding


def findings(runs: Sequence[ImportedRun]) -> Iterator[Finding]:
    """One finding for all, where it applies: `runs` are those that are measured."""
    if len({run.treatment.model_dump_json() for run in runs}) < 2 or max(run.repetition for run in runs) < 2:
        return
    if any(run.begin_ns is None for run in runs):
        yield _finding(
            "the files do not say when each run took place: blocks are the numbers of the repetitions"
        )
    elif not _interleaved(runs):
        yield _finding("repetitions with one number did not run together: treatments ran one after the other")


def _interleaved(runs: Sequence[ImportedRun]) -> bool:
    """Whether every run of a repetition began before any of the next one."""
    begins: dict[int, list[int]] = {}
    for run in runs:
        begins.setdefault(run.repetition, []).append(run.begin_ns or 0)
    ordered = [begins[number] for number in sorted(begins)]
    return all(max(one) < min(later) for one, later in pairwise(ordered))


def _finding(message: str) -> Finding:
    return Finding.of(Code.BLOCKS_ONLY_BY_NUMBER, message)
