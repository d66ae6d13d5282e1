"""Why a comparison has no verdict, where no run and no campaign is to blame: no record holds these codes."""

from __future__ import annotations

from harness.findings.codes import Code
from harness.findings.meaning import Meaning

TITLE = "Comparisons"
ON_THE_RATIO = "on that ratio"
MEANINGS = {
    Code.NO_SPREAD: Meaning(
        "The blocks' ratios are all alike, or differ by less than a step of the meter: nothing says how sure they are.",
        (),
        "measure for longer, or with a meter of finer steps",
        ("R31",),
        ON_THE_RATIO,
    ),
    Code.ONE_BLOCK: Meaning(
        "A campaign has a single block with both treatments.",
        (),
        "measure at least two blocks: -r 2",
        ("R31",),
        ON_THE_RATIO,
    ),
    Code.ONE_SESSION: Meaning(
        "Each campaign is one session, and nothing unchanged was measured in both.",
        (),
        "measure in both what does not change, or several campaigns of each: --old-session, --new-session",
        ("R30",),
        ON_THE_RATIO,
    ),
    Code.OTHER_SEED: Meaning(
        "The campaigns have different seeds: other weights, other batches.",
        (),
        "measure one of them again with the other's seed",
        ("R29",),
        ON_THE_RATIO,
    ),
    Code.UNEQUAL_WORK: Meaning(
        "A treatment did other work in one campaign than its counterpart in the other.",
        (),
        "compare campaigns of the same plan; suite verify says where implementations part",
        ("R29",),
        ON_THE_RATIO,
    ),
}
