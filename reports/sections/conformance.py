"""Whether it is proven that the implementations compared here do the same work."""

from __future__ import annotations

import json
from typing import Any

from harness.analysis.groups import Group
from harness.analysis.summary import Analysis
from harness.conformance import certificate
from harness.conformance.certificate import Proof
from harness.conformance.tolerances import FLOAT64
from harness.store import Campaign
from reports.parts import Cell, Column, Row, Table
from suite.neural import DEFAULT_MODE

TITLE, ORDER = "Equal work", 58
TITLES = {
    "workload": "Workload", "framework": "Framework", "mode": "Mode", "against": "Against", "precision": "Precision",
    "checks": "Checks", "closest": "Closest check", "share": "Of what is allowed", "verdict": "Verdict",
}  # fmt: skip


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    proofs = certificate.of_campaign(campaign.folder)
    unproven = _unproven(analysis, proofs)
    return {"table": _table(proofs) if proofs else None, "unproven": unproven} if proofs or unproven else {}


def _unproven(analysis: Analysis, proofs: tuple[Proof, ...]) -> list[str]:
    """Treatments that are compared without a proof; whose code it was is judged when a campaign begins, not here."""
    exact = [one for one in proofs if one.dtype == FLOAT64]
    proven = {(one.workload, f"{one.framework} {one.version}", mode) for one in exact for mode in one.modes}
    compared = ((group.workload, name, _mode(group)) for group in analysis.groups for name in _several(group))
    missing = [place for place in dict.fromkeys(compared) if place not in proven]
    return [f"{workload} {name}{certificate.in_mode(mode)}" for workload, name, mode in missing]


def _mode(group: Group) -> str:
    return str(json.loads(group.settings).get("mode", DEFAULT_MODE))


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
    mode = proof.mode_in_force or proof.mode
    texts = (
        proof.workload,
        place,
        mode,
        proof.against,
        proof.dtype,
        str(len(proof.checks)),
        check,
        f"{share:.1%}",
    )
    return (*map(Cell, texts), Cell("", mark="equal" if proof.passed else "differs"))
