"""Whether it is proven that the implementations compared here do the same work."""

from __future__ import annotations

from typing import Any

from harness.analysis.summary import Analysis
from harness.conformance import kept_proofs
from harness.conformance.kept_proofs import Proof
from harness.conformance.tolerances import KINDS
from harness.store import Campaign
from reports.parts import Cell, Column, Row, Table

TITLE, ORDER = "Equal work", 58
TITLES = {
    "workload": "Workload", "framework": "Framework", "mode": "Mode", "against": "Against", "kind": "Shape",
    "checks": "Checks", "closest": "Closest check", "share": "Of what is allowed", "verdict": "Verdict",
}  # fmt: skip


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    proofs = kept_proofs.of_campaign(campaign.folder)
    # Whose code it was is judged when a campaign begins, not here.
    left = kept_proofs.not_covered(campaign.record.plan.treatments, (one for one in proofs if one.passed))
    unproven = kept_proofs.in_words(left)
    return {"table": _table(proofs) if proofs else None, "unproven": unproven} if proofs or unproven else {}


def _table(proofs: tuple[Proof, ...]) -> Table:
    rows = tuple(Row(repr(proof.key), _cells(proof)) for proof in proofs)
    columns = tuple(Column(name, title) for name, title in TITLES.items())
    return Table("proofs", "Proofs of equal work", columns, rows)


def _cells(proof: Proof) -> tuple[Cell, ...]:
    share, check = max((one.share, one.check) for one in proof.checks)
    place = f"{proof.framework} {proof.version}"
    mode = proof.mode_in_force or proof.mode
    texts = (
        proof.workload,
        place,
        mode,
        proof.against,
        KINDS[proof.kind],
        str(len(proof.checks)),
        check,
        f"{share:.1%}",
    )
    return (*map(Cell, texts), Cell("", mark="equal" if proof.passed else "differs"))
