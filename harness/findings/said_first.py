"""What is said before the first run, on the screen and in the report."""

from __future__ import annotations

from harness.findings.codes import Code, Severity
from harness.findings.meaning import Meaning

TITLE = "Said before the first run"
MEANINGS = {
    Code.DATA_NOT_PREPARED: Meaning(
        "A workload runs on another data set than its own, which has not been fetched.",
        (Severity.INFO,),
        "fetch it: suite data fetch",
    ),
    Code.SCALED_DOWN: Meaning(
        "The profile runs workloads on less data or for fewer epochs than their own.",
        (Severity.INFO,),
        "for the workloads' own sizes: --profile standard",
    ),
    Code.NO_DOCKER: Meaning(
        "No Docker engine answers: each framework runs in a virtual environment from the same lock.",
        (Severity.INFO,),
        "install a Docker engine, or say --environment virtualenv",
        ("R30",),
    ),
    Code.TOLD_IN_PART: Meaning(
        "A report or an export was asked for some workloads, stages or frameworks alone; verdicts are those of the "
        "whole.",
        (Severity.INFO,),
        "for all of the campaign: leave out -w, -f and -s",
    ),
    Code.WEIGHTS_OF_A_FILE: Meaning(
        "A workload begins with the weights of a file ([workloads.md](workloads.md#pretrained-weights)), which of "
        "them, and which stay random.",
        (Severity.INFO,),
        "compare it with what began with the same file, which its setting `pretrained` names",
    ),
}
