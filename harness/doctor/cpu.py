"""How the CPUs are set, and whether they are at rest."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

import psutil

from harness.doctor.check import PLAYBOOK, Check, judged
from harness.host.tuning import tuning

QUIET = f"{PLAYBOOK} quiet"
LOOK_S = 1.0
MAX_BUSY = 0.05  # of all CPUs
NO_CHOICE = "the kernel offers no choice here"


def checks() -> Iterator[Check]:
    yield from of_tuning(tuning())
    yield idle_load(busy_share(), busiest())


def of_tuning(found: Mapping[str, Any]) -> Iterator[Check]:
    """`found`: harness.host.tuning."""
    governors = found["governors"]
    yield judged(
        "governor",
        governors in (None, "performance"),
        governors or NO_CHOICE,
        "others change the clock while a run computes: energy and time spread",
        f"{QUIET} (or: cpupower frequency-set -g performance)",
    )
    yield judged(
        "turbo",
        found["turbo"] is not True,
        {True: "on", False: "off", None: NO_CHOICE}[found["turbo"]],
        "clocks above the nominal one depend on heat, so on what ran before",
        f"{QUIET} -e turbo=off, if you want even runs rather than the fastest",
    )
    yield judged(
        "smt",
        found["smt"] != "on",
        found["smt"] or NO_CHOICE,
        "two threads on a core share its units: pinned workloads disturb each other",
        f"{QUIET} -e smt=off, if your question is about cores",
    )
    yield judged(
        "numa balancing",
        found["numa_balancing"] in (None, 0),
        {None: NO_CHOICE, 0: "off"}.get(found["numa_balancing"], "on"),
        "the kernel moves memory between sockets while a run computes",
        QUIET,
    )


def idle_load(share: float, names: list[str]) -> Check:
    """`share`: of all CPUs that is busy now; `names`: of the busiest processes."""
    return judged(
        "idle load",
        share <= MAX_BUSY,
        f"{share:.1%} of the CPUs busy" + (f" ({', '.join(names)})" if share > MAX_BUSY and names else ""),
        "other programs' energy is counted as the run's",
        f"stop what runs beside, or {QUIET}",
    )


def busy_share() -> float:
    return psutil.cpu_percent(LOOK_S) / 100


def busiest(count: int = 3) -> list[str]:
    """Names of the processes that use most CPU time now, this one left out."""
    found = [one for one in psutil.process_iter(["name"]) if one.pid not in (0, psutil.Process().pid)]
    for one in found:
        _percent(one)
    time.sleep(LOOK_S / 4)
    loads = sorted(((_percent(one), one.info["name"]) for one in found), reverse=True)
    return [name for percent, name in loads[:count] if percent > 100 * MAX_BUSY]


def _percent(process: psutil.Process) -> float:
    try:
        return float(process.cpu_percent())
    except psutil.Error:  # it has just ended
        return 0.0
