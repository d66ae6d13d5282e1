"""Commands that a reader may type to know more, spelled out."""

from __future__ import annotations

import shlex

from harness.records import CampaignRecord, Profiler, Purpose

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
            *_tools(record),
        ]
    )


def _tools(record: CampaignRecord) -> list[str]:
    """Named where any is not the usual one."""
    found = {one.profiler or Profiler.PY_SPY for one in record.order if one.purpose == Purpose.PROFILE}
    several = [] if found <= {Profiler.PY_SPY} else [one for one in Profiler if one in found]
    return [word for one in several for word in ("--profile-tool", one)]
