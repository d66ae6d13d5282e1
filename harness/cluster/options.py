"""What sbatch is told of a block's job, through submitit: pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from pydantic import ValidationError

from harness import shape_errors
from harness.cluster import times
from harness.cluster.records import SlurmOptions
from harness.errors import UsageError
from harness.planning import plan as planning
from harness.records import Plan

NAMES = ("partition", "gres", "constraint", "account", "qos", "nodes", "time")
SLACK = 3  # times the forecast: a limit ends a block, and costs all of it
STARTING_MIN = 30  # the node's checks, its proofs and its environments, before its first block
MOST_AT_ONCE = 100  # jobs in the queue, where nobody says how many nodes
# In place of submitit's own signal before the time limit, which kills who does not wait for it yet: one without effect.
HARMLESS_SIGNAL = "CONT@1"


def parse(given: Mapping[str, Any], plan: Plan, runs: int) -> SlurmOptions:
    """Of the command's options. Raises: UsageError naming the one that is wrong."""
    words = {name: given[name] for name in NAMES if name not in ("nodes", "time") and given[name] is not None}
    asked = times.minutes(given["time"]) if given["time"] is not None else minutes_of(plan, runs)
    nodes = given["nodes"] or min(plan.repetitions, MOST_AT_ONCE)
    try:
        return SlurmOptions(**words, nodes=nodes, minutes=asked)
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        raise UsageError(
            f"--{name} {str(given.get(name))[:60]!r} is no word for sbatch: {shape_errors.reason(error)}"
        ) from error


def minutes_of(plan: Plan, runs: int) -> int:
    """What a job of the plan may take, where nobody says: by the forecast of a block, of all `runs`, generously."""
    block_s = planning.duration_s(plan, runs) / max(1, plan.repetitions)
    return STARTING_MIN + round(SLACK * block_s / 60)


def parameters(options: SlurmOptions, name: str, excluded: Collection[str]) -> dict[str, Any]:
    """Of submitit's executor: a whole node for one block, which no one shares and nobody starts again.

    A node has one task with all of its CPUs: how they are shared out is the campaign's business.
    """
    words = {key: value for key, value in options.model_dump().items() if value is not None}
    minutes = words.pop("minutes")
    return {
        **words,
        "nodes": 1,
        "time": minutes,
        "job_name": name,
        "exclusive": True,
        "srun_args": ["--cpu-bind=none"],
        "additional_parameters": {"no-requeue": True, "mem": "0", "signal": HARMLESS_SIGNAL},
        **({"exclude": ",".join(sorted(excluded))} if excluded else {}),
    }
