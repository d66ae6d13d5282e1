"""Findings of the machine: whether a run had it for itself, and whether it stayed what it was."""

from __future__ import annotations

from harness.findings.codes import Code, Severity
from harness.findings.meaning import Meaning, Voided

TITLE = "The machine"
MEANINGS = {
    Code.FOREIGN_GPU_PROCESS: Meaning(
        "Somebody else computed on the GPU, whose joules would be counted as the run's.",
        (Severity.INVALID,),
        "stop them; the GPU must be the run's alone",
        ("R19", "R37"),
    ),
    Code.FOREIGN_CHECK_BLIND: Meaning(
        "The driver shows no process on the GPU, not even the run's own: it would not show another's either.",
        (Severity.WARNING,),
        "run the harness outside containers and process namespaces, and make sure that nobody else computes",
        ("R19",),
    ),
    Code.FOREIGN_LOAD: Meaning(
        "Others kept CPUs busy during the run.",
        (Severity.WARNING,),
        "stop what else runs on the machine; suite doctor names the busiest",
        ("R37",),
    ),
    Code.CPU_STOLEN: Meaning(
        "The hypervisor gave CPU time to its other guests during the run.",
        (Severity.WARNING,),
        "measure on bare metal",
        ("R7", "R37"),
    ),
    Code.GPU_SLOWED: Meaning(
        "Heat, the power limit or a power brake slowed a GPU down.",
        (Severity.WARNING,),
        "cool the machine, or lower the clocks until no run meets the limit",
        ("R19",),
    ),
    Code.CPU_THROTTLED: Meaning(
        "The CPU grew too hot and was slowed down.",
        (Severity.WARNING,),
        "cool the machine, or set lower clocks",
    ),
    Code.SWAP_USED: Meaning(
        "Memory was written to swap during the run.",
        (Severity.WARNING,),
        "give the workload more memory, or switch swap off (swapoff -a)",
    ),
    Code.CLOCK_JUMPED: Meaning(
        "The time of day jumped during the run: the machine was suspended, or its clock set.",
        (Severity.WARNING,),
        "the machine was suspended, or its clock set; energies and times do not depend on it",
    ),
    Code.HOST_CHANGED: Meaning(
        "A governor, turbo, swap, a GPU's limit or another setting changed during the run.",
        (Severity.WARNING,),
        "leave the machine alone while it measures; ansible/setup.yml sets it once",
    ),
    Code.NEW_MACHINE: Meaning(
        "The campaign was resumed on another machine, or on one that was changed.",
        (Severity.WARNING,),
        "compare only within blocks that one machine measured whole",
        ("R40",),
        "on everything, where one block ran on two machines",
        {"": Voided.ALL},
    ),
    Code.SUITE_CHANGED: Meaning(
        "Different versions of the suite measured parts of the campaign: it was updated, and the campaign resumed, or "
        "campaigns of several were merged. What a block compares was measured alike where one version measured it "
        "whole. Of a version only its number and commit are known: two of the same, both changed, pass for one.",
        (Severity.WARNING,),
        "read ratios, not how blocks differ; resume with the version that began a campaign, which its record names",
        ("R40",),
        "on the work of which two versions measured one block",
        {"": Voided.ALL},
    ),
    Code.NODES_DIFFER: Meaning(
        "The machines of a merged campaign are of different hardware, which was asked for; information where they are "
        "only set up otherwise.",
        (Severity.WARNING, Severity.INFO),
        "a ratio over all nodes is that of this mixture of machines: read each node's own, under Nodes",
        ("R40",),
    ),
    Code.COOL_DOWN_TIMED_OUT: Meaning(
        "The machine did not come to rest before the run within the time that the plan allows.",
        (Severity.WARNING,),
        "find what keeps it busy or hot, or allow more time (cool_down in the plan)",
        ("R22",),
    ),
    Code.COOL_DOWN_UNSEEN: Meaning(
        "The sampling process ended while the machine was waited for: nobody saw whether it came to rest.",
        (Severity.WARNING,),
        "see the kernel's log for why the sampling process ended",
        ("R22",),
    ),
    Code.DRIFT: Meaning(
        "A treatment's energy or time rises or falls with the order of the blocks.",
        (Severity.WARNING,),
        "the machine changed while it was measured: warm it up, wait for it to cool, or add blocks",
        ("R23",),
        "on the treatment, or against it, in that work: of energy on energies, of time on times",
        {"energy_j": Voided.ENERGY, "duration_s": Voided.TIME},
    ),
    Code.BASELINE_MOVED: Meaning(
        "The idle machine drew 5 % more before one block than before another.",
        (Severity.WARNING,),
        "something else ran or stopped meanwhile: net energies of different blocks are not alike",
        ("R25",),
        "on net energies",
        {"": Voided.NET_ENERGY},
    ),
    Code.CONTROL_UNSTEADY: Meaning(
        "The same control work spread by more than 1 % over the blocks.",
        (Severity.WARNING,),
        "the machine itself varies by so much: no smaller difference of frameworks can be trusted",
        ("R27",),
        "that claim no greater difference than the control spread by, of energy on energies, of time on times; "
        "`equivalent` claims the margin, `inconclusive` nothing; what a gate passes claims what is allowed, or by how "
        "much its interval lies below that",
        {"control_energy_j": Voided.ENERGY, "control_duration_s": Voided.TIME},
    ),
}
