"""Findings of the work: whether it was what was asked for, the same for all, and told truly."""

from __future__ import annotations

from harness.findings.codes import Code, Severity
from harness.findings.meaning import Meaning, Voided

TITLE = "The work"
OTHER_IMAGE = "the worker's image does not keep the protocol: build it from the checkout, suite images build"
IN_THAT_WORK = "on the treatment, or against it, in that work"
ALL = {"": Voided.ALL}
MEANINGS = {
    Code.QUALITY_BELOW_TARGET: Meaning(
        "The model did not learn its task, or does not tell how well.",
        (Severity.INVALID,),
        "the run does not count; if it recurs, verify the implementation",
        ("R29",),
    ),
    Code.OTHER_WORK: Meaning(
        "An epoch took other samples than the plan says, epochs or passes are missing, answers were kept instead of "
        "computed, or a loss is not finite.",
        (Severity.INVALID,),
        "the implementation does not do the work that was asked for: suite verify",
        ("R29",),
    ),
    Code.COMPUTED_OTHERWISE: Meaning(
        "Losses, answers or counts of work part from those of the other runs by more than rounding.",
        (Severity.INVALID,),
        "the implementations do not do the same work: suite verify says where they part",
        ("R29",),
        IN_THAT_WORK,
        ALL,
    ),
    Code.UNTOLD_RESULTS: Meaning(
        "Nothing was told, or nothing is stored, of a run's work, metrics, facts or fingerprints, or what is "
        "judged on the host was not left to it: nobody knows what it computed.",
        (Severity.INVALID,),
        "measure it again, in an environment of this checkout: its events are lost, or an older worker's",
        ("R29",),
        IN_THAT_WORK,
        ALL,
    ),
    Code.UNTRUE_EVENTS: Meaning(
        "What the worker told cannot be true: `done` twice, late, early or to come, a phase outside the window, a "
        "result after `done`.",
        (Severity.INVALID,),
        OTHER_IMAGE,
    ),
    Code.WORKED_OUTSIDE: Meaning(
        'The run\'s processes worked before "go" or after "done", where nobody measures.',
        (Severity.INVALID,),
        OTHER_IMAGE,
    ),
    Code.STOOD_STILL: Meaning(
        "For five seconds or more the run used neither CPU nor GPU, as one that was stopped and continued; for a "
        "minute, where a profiler stopped it for native frames or wrote down what it recorded.",
        (Severity.INVALID,),
        "somebody stopped the run, or it waited for something that no other run waits for; see console.log",
    ),
    Code.NOT_VERIFIED: Meaning(
        "Nobody has proven that the implementations do the same work, set as they are "
        "([equal-work.md](equal-work.md)).",
        (Severity.WARNING,),
        "measure without --no-verify",
        ("R29",),
        f"{IN_THAT_WORK}: no kept proof covers it, whatever the reason",
        ALL,
    ),
    Code.ONE_IMPLEMENTATION: Meaning(
        "Versions of a framework are compared whose workload nobody else implements: no proof is possible.",
        (Severity.WARNING,),
        "their fingerprints alone were compared: see what the library has changed between them",
        ("R29",),
        "on all versions of that workload",
        ALL,
    ),
    Code.STALE_IMAGE: Meaning(
        "The image holds other workloads than the checkout (`--allow-stale`).",
        (Severity.WARNING,),
        "build it anew: suite images build",
        ("R29",),
        f"{IN_THAT_WORK}: what was proven is not what ran",
        ALL,
    ),
    Code.UNPINNED_ENVIRONMENT: Meaning(
        "The framework ran in an interpreter of the user's: its versions are recorded, not pinned.",
        (Severity.INFO,),
        "use --environment docker or virtualenv for a result that others can repeat",
    ),
}
