"""Commands that a reader may type to know more, spelled out."""

from __future__ import annotations

import shlex

from harness.records import CampaignRecord

BLOCKS = 3  # and as many runs under the profiler: the fewest of which an interval says something


def command_that_tells(record: CampaignRecord) -> str:
    """Of what was profiled, measured and profiled in one campaign."""
    treatments = record.plan.treatments
    chosen = {
        "-w": [one.workload for one in treatments],
        "-f": [f"{one.framework}@{one.version}" for one in treatments],
        "-s": [one.stage for one in treatments],
    }
    names = [
        word for option, several in chosen.items() for one in dict.fromkeys(several) for word in (option, one)
    ]
    return shlex.join(
        [
            "suite",
            "run",
            *names,
            "--profile",
            record.plan.profile,
            "-r",
            str(BLOCKS),
            "--profile-runs",
            str(BLOCKS),
        ]
    )
