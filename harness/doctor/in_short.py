"""What a machine can do, in one line of all its checks: where runs run, what their joules will be, and on what."""

from __future__ import annotations

from collections.abc import Iterable

from harness.doctor.check import ENGINE, Check, Level

ENERGY, BEST = "energy", "meter rapl"


def in_short(checks: Iterable[Check]) -> str:
    """E.g. "runs in containers; energy will be ESTIMATED: no RAPL zones; 3 things are missing"."""
    found = {one.name: one for one in checks}
    parts = [
        *_place(found.get(ENGINE)),
        *_energy(found.get(ENERGY), found.get(BEST)),
        *_missing(found.values()),
    ]
    return f"this machine: {'; '.join(parts)}"


def _place(engine: Check | None) -> list[str]:
    if engine is None:
        return []
    return [
        "runs in containers"
        if engine.good
        else "runs in virtual environments, for want of a container engine"
    ]


def _energy(energy: Check | None, best: Check | None) -> list[str]:
    """What was not measured is in capitals, as everywhere."""
    if energy is None:
        return []
    if energy.good:
        return [f"energy will be read from {energy.state}"]
    if energy.state == "none":
        return ["energy will be UNKNOWN: nothing here tells any"]
    why = f": {best.state}" if best is not None and not best.good else ""
    return [f"energy will be ESTIMATED{why}"]


def _missing(checks: Iterable[Check]) -> list[str]:
    several = [one.name for one in checks if one.level is Level.MISSING and one.name not in (ENGINE, ENERGY)]
    return [f"missing: {', '.join(several)}"] if several else []
