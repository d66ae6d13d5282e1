"""Proofs of equal work, as a person reads them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

from harness.cli import screen
from harness.conformance.kept_proofs import Proof
from harness.conformance.tolerances import KINDS


def as_json(proofs: Iterable[Proof]) -> str:
    """A certificate's content, and `passed` of every proof and check, which it leaves to its readers."""
    return json.dumps([_with_verdicts(one) for one in proofs], indent=1, allow_nan=False)


def _with_verdicts(proof: Proof) -> dict[str, Any]:
    checks = [
        {**check.model_dump(), "value": _finite(check.value), "passed": check.passed}
        for check in proof.checks
    ]
    return {**proof.model_dump(mode="json"), "passed": proof.passed, "checks": checks}


def _finite(value: float) -> float | None:
    """JSON has no other numbers."""
    return value if math.isfinite(value) else None


def print_proofs(proofs: Iterable[Proof]) -> None:
    """A line a proof, with the check that came closest to its tolerance; below it, every one that did not pass."""
    for one in proofs:
        place = f"{one.framework} {one.version}"
        mode = f" in mode {one.mode_in_force}" if one.mode_in_force else ""
        verdict = screen.plain("equal", "green") if one.passed else screen.plain("DIFFERS", "red")
        what = f"  {one.workload} {place}{mode}, {KINDS[one.kind]}, against {one.against}: {_outcome(one)}"
        screen.console.print(verdict + screen.plain(what), soft_wrap=True)
        for check in one.checks:
            if not check.passed:
                screen.say(
                    f"         {check.check} is {check.value:.3g} apart, {check.tolerance:.3g} are allowed"
                )


def _outcome(proof: Proof) -> str:
    if differing := sum(not one.passed for one in proof.checks):
        return f"{differing} of {len(proof.checks)} checks"
    share, check = max((one.share, one.check) for one in proof.checks)
    return f"{len(proof.checks)} checks, the closest at {share:.1%} of what is allowed ({check})"
