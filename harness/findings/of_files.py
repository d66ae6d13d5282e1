"""Findings of campaigns that were read from other tools' files."""

from __future__ import annotations

from harness.findings.codes import Code, Severity
from harness.findings.meaning import Meaning

TITLE = "Other tools' files"
MEANINGS = {
    Code.BLOCKS_ONLY_BY_NUMBER: Meaning(
        "Repetitions with one number did not run together, or the files do not say when they ran.",
        (Severity.WARNING,),
        "intervals and tests that pair runs by block assume that a block's runs share the machine's state",
        ("R21",),
    ),
    Code.WINDOWS_OF_ONE_SESSION: Meaning(
        "The runs are windows of a device that stayed on.",
        (Severity.WARNING,),
        "windows of one session are more alike than runs: an interval over them says nothing of another session",
        ("R30",),
    ),
    Code.GPU_READINGS_MISSING: Meaning(
        "There are fewer readings of the GPU than seconds; information where only some are missing.",
        (Severity.WARNING, Severity.INFO),
        "the sum of the readings x 1 s is too small by that share of the GPU's energy",
        ("R13",),
    ),
    Code.POWER_GAPS: Meaning(
        "Readings of power lie further apart than asked for; information where they hold hardly any of the run.",
        (Severity.WARNING, Severity.INFO),
        "between two readings the power is a straight line here; what it did there nobody saw",
        ("R13",),
    ),
    Code.POWER_MARKS: Meaning(
        "The log of power lacks a mark of its begin or end, or dates it before its last reading.",
        (Severity.WARNING, Severity.INFO),
        "the run's own marks are used instead",
    ),
    Code.CLOCK_ZONE: Meaning(
        "The readings are in the time of their machine, and were moved as the server's file says.",
        (Severity.INFO,),
        "marks and readings come from two clocks: their offset to each other is known to the second at best",
    ),
    Code.NEGATIVE_SAMPLES: Meaning(
        "Samples of energy are negative.",
        (Severity.WARNING,),
        "a current that flows back, or a meter with an offset: its zero was not set",
        ("R1",),
    ),
}
