"""Findings of a run's energy and of the meters that read it."""

from __future__ import annotations

from harness.findings.codes import Code, Severity
from harness.findings.meaning import Meaning, Voided

TITLE = "Energy and its meters"
RELOADED = (
    "the register was reset or read wrongly: look at the kernel's log for a driver that was loaded anew"
)
MEANINGS = {
    Code.METER_LOST: Meaning(
        "A meter stopped answering during the run; invalid where it gives the run's energy.",
        (Severity.INVALID, Severity.WARNING),
        "do what the meter's own remedy says: suite meters",
        ("R40",),
    ),
    Code.SAMPLES_MISSING: Meaning(
        "A run was read by meters, and the file of what they read is not in its folder.",
        (Severity.WARNING,),
        "take the file from a copy of the campaign: without it the run has no energy",
    ),
    Code.GPU_ENERGY_MISSING: Meaning(
        "The run worked on a GPU whose energy cannot be read: the sum without it is no total.",
        (Severity.INVALID,),
        "see suite meters for why the GPU's energy cannot be read",
        ("R40",),
    ),
    Code.CPU_ENERGY_MISSING: Meaning(
        "The energy is the GPU's alone: the CPU that feeds it is not in it.",
        (Severity.WARNING,),
        "see suite meters for why the CPU's energy cannot be read; compare such runs with care",
        ("R40",),
    ),
    Code.WINDOW_TOO_SHORT: Meaning(
        "The window is under 1 s, under 5 s with a GPU in the energy, or under five updates of the slowest sensor.",
        (Severity.WARNING,),
        "raise the workload's epochs or passes: the energy of so short a window is uncertain",
        ("R9", "R16"),
    ),
    Code.PART_TOO_SHORT: Meaning(
        "The windows of a part of the stage, as prefill or decode, in a pass are shorter together than a run may be: "
        "under 1 s, under 5 s with a GPU in the energy, or under five updates of the slowest sensor.",
        (Severity.WARNING,),
        "raise the workload's requests, or its passes, whose errors average out: the part's energy is uncertain",
        ("R9", "R16"),
    ),
    Code.ENERGY_NOT_COVERED: Meaning(
        "An addend of the energy was not read from before the run's window until after it.",
        (Severity.INVALID,),
        "see whether its meter answers: suite meters",
        ("R1",),
    ),
    Code.READINGS_MISSED: Meaning(
        "Readings of the run's energy failed: what they would have shown is not known.",
        (Severity.WARNING,),
        "see whether its answers come in time: a wire instead of Wi-Fi, or a longer timeout or period",
        ("R40",),
    ),
    Code.WRAP_COULD_HIDE: Meaning(
        "Two readings lie so far apart that a counter may have gone round unseen.",
        (Severity.INVALID,),
        "the machine was suspended or overloaded: free it for the measurement",
        ("R1",),
    ),
    Code.COUNTER_IMPOSSIBLE: Meaning(
        "A counter ran backwards, or implies more power than its domain can draw, or a power seen nowhere else in the "
        "recording though its reading fell over a long gap; invalid unless its meter gives none of the run's energy.",
        (Severity.INVALID, Severity.WARNING),
        RELOADED,
        ("R1",),
    ),
    Code.COUNTER_STOOD_STILL: Meaning(
        "An addend of the energy did not move for far longer than it takes: its joules are missing, not 0.",
        (Severity.INVALID,),
        "the sensor stopped: look at the kernel's log, and at suite meters for what it reads now",
        ("R7", "R40"),
    ),
    Code.COUNTER_DISAGREES: Meaning(
        "A GPU's counter and its integrated power differ by more than 5 %.",
        (Severity.WARNING,),
        "sample faster, or run longer: power that varies within a sampling period is missed",
        ("R13",),
        "on energies of the treatment, or against it, in that work",
        {"": Voided.ENERGY},
    ),
    Code.PART_EXCEEDS_WHOLE: Meaning(
        "psys grew by less than the packages that it covers, over some second of the run.",
        (Severity.INVALID,),
        "one of the two is wrong: see the kernel's log, and suite meters for what both read now",
        ("R2",),
    ),
    Code.POWER_REPEATS: Meaning(
        "A power gauge in the run's energy showed the very same value for a minute.",
        (Severity.WARNING,),
        "see whether its sensor hangs: real power varies in the last digit",
    ),
}
