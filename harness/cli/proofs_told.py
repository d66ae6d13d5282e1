"""Proofs of equal work, as a person reads them."""

from __future__ import annotations

from collections.abc import Iterable

from harness.cli import screen
from harness.conformance.certificate import Proof


def print_proofs(proofs: Iterable[Proof]) -> None:
    """A line a proof, with the check that came closest to its tolerance; below it, every one that did not pass."""
    for one in proofs:
        place = f"{one.framework} {one.version}"
        mode = f" in mode {one.mode_in_force}" if one.mode_in_force else ""
        verdict = "[green]equal[/]" if one.passed else "[red]DIFFERS[/]"
        screen.console.print(
            f"{verdict}  {one.workload} {place} {one.dtype}{mode}, against {one.against}: {_closest(one)}",
            soft_wrap=True,
        )
        for check in one.checks:
            if not check.passed:
                screen.say(
                    f"         {check.check} is {check.value:.3g} apart, {check.tolerance:.3g} are allowed"
                )


def _closest(proof: Proof) -> str:
    share, check = max((one.share, one.check) for one in proof.checks)
    return f"{len(proof.checks)} checks, the closest at {share:.1%} of what is allowed ({check})"
