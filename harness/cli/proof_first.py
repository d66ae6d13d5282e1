"""Before a campaign: what it compares is proven to do the same work, where no certificate covers it yet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from harness.campaign import machine_lock
from harness.cli import proofs_told, screen
from harness.conformance import asked, certificate
from harness.errors import SuiteError
from harness.records import Finding, Plan
from reports.formats import plural

if TYPE_CHECKING:
    from harness.conformance.proving import Environments


class NotEqual(SuiteError):
    """What a plan compares does not do the same work."""


def ensure(plan: Plan, environments: Environments, folder: Path) -> None:
    """Proves what is missing and keeps the certificate; `folder`: the campaign's.

    Raises: NotEqual naming who differs, MissingPrerequisite if another campaign holds the machine.
    """
    from harness.conformance.proving import prove  # whoever shows a plan does not wait for it

    isolations = {one.isolation for one in environments.values()}
    missing = certificate.missing(plan.treatments, certificate.load(isolations))
    if not missing:
        return
    with machine_lock.hold(folder):
        found = prove(missing, list(asked.all_of(plan.treatments)), environments, screen.say)
    certificate.save(found)
    differing = [one for one in found if not one.passed]
    if differing:
        proofs_told.print_proofs(differing)
        names = dict.fromkeys(f"{one.workload} {one.framework} {one.version}" for one in differing)
        raise NotEqual(
            f"these do not do the same work: {', '.join(names)}; leave them out, or measure with --no-verify, and the "
            "report will say so"
        )


def tell(plan: Plan) -> None:
    """Whether what a plan compares is proven."""
    if not asked.all_of(plan.treatments):
        return
    made = certificate.load()
    left = {
        kind: certificate.unproven(plan.treatments, [one for one in made if one.isolation == kind])
        for kind in sorted({one.isolation for one in made})
    }
    if proven := [kind for kind, several in left.items() if not several]:
        screen.say(f"equal work is proven ({', '.join(proven)})")
    else:
        fewest = min(map(len, (*left.values(), certificate.unproven(plan.treatments, ()))))
        screen.say(
            f"equal work is not proven yet of {plural(fewest, 'implementation')}: suite run begins with it"
        )


def findings(plan: Plan, isolation: str) -> Iterator[Finding]:
    """What is measured without its proof says so."""
    return certificate.findings(plan.treatments, certificate.load({isolation}))
