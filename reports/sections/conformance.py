"""Whether it is proven that the implementations compared here do the same work."""

from __future__ import annotations

from typing import Any

from harness.analysis.groups import Group
from harness.analysis.summary import Analysis
from harness.conformance import certificate
from harness.conformance.certificate import Proof
from harness.conformance.tolerances import FLOAT64
from harness.store import Campaign
from reports.parts import Cell, Column, Row, Table

TITLE, ORDER = "Equal work", 58
TITLES = {
    "workload": "Workload", "framework": "Framework", "against": "Against", "precision": "Precision",
    "checks": "Checks", "closest": "Closest check", "share": "Of what is allowed", "verdict": "Verdict",
}  # fmt: skip


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    proofs = certificate.of_campaign(campaign.folder)
    unproven = _unproven(analysis, proofs)
    return {"table": _table(proofs) if proofs else None, "unproven": unproven} if proofs or unproven else {}


def _unproven(analysis: Analysis, proofs: tuple[Proof, ...]) -> list[str]:
    """Treatments that are compared without a proof; whose code it was is judged when a campaign begins, not here."""
    proven = {(one.workload, f"{one.framework} {one.version}") for one in proofs if one.dtype == FLOAT64}
    compared = ((group.workload, name) for group in analysis.groups for name in _several(group))
    return [
        f"{workload} {name}" for workload, name in dict.fromkeys(compared) if (workload, name) not in proven
    ]


def _several(group: Group) -> tuple[str, ...]:
    """Versions of one framework run the same source."""
    frameworks = {name.rpartition(" ")[0] for name in group.treatments}
    return group.treatments if len(frameworks) > 1 else ()


def _table(proofs: tuple[Proof, ...]) -> Table:
    rows = tuple(Row(" ".join(proof.key), _cells(proof)) for proof in proofs)
    columns = tuple(Column(name, title) for name, title in TITLES.items())
    return Table("proofs", "Proofs of equal work", columns, rows)


def _cells(proof: Proof) -> tuple[Cell, ...]:
    share, check = max((one.share, one.check) for one in proof.checks)
    place = f"{proof.framework} {proof.version}"
    against = "its own single steps" if place == proof.reference else proof.reference
    texts = (proof.workload, place, against, proof.dtype, str(len(proof.checks)), check, f"{share:.1%}")
    return (*map(Cell, texts), Cell("", mark="equal" if proof.passed else "differs"))
