"""A proof of one machine covers no run of another's."""

from __future__ import annotations

import json
from pathlib import Path

from harness import merging, store
from harness.analysis.summary import analyse
from harness.conformance.kept_proofs import CERTIFICATE_FILE, of_campaign
from harness.findings.codes import Code
from tests.harness.merging.nodes import nodes


def test_what_all_have_proven_is_proven(tmp_path: Path) -> None:
    given = nodes(tmp_path, 2)
    campaign = store.load_campaign(merging.merge(given, tmp_path / "all"))
    assert set(of_campaign(campaign.folder)) == set(of_campaign(given[0]))
    assert not campaign.record.findings
    assert not any(doubt.code == Code.NOT_VERIFIED for doubt in analyse(campaign).doubts)


def test_who_has_no_certificate_has_none_of_the_others(tmp_path: Path) -> None:
    given = nodes(tmp_path, 2)
    (given[1] / CERTIFICATE_FILE).unlink()
    campaign = store.load_campaign(merging.merge(given, tmp_path / "all"))
    assert of_campaign(campaign.folder) == ()
    (finding,) = campaign.record.findings
    assert finding.code == Code.NOT_VERIFIED and finding.message.startswith("node 2 has not proven itself")
    costs = analyse(campaign).costs
    assert costs.loc[costs["ratio"].notna() & (costs["verdict"] != "reference"), "verdict"].isna().all()


def test_a_proof_that_failed_on_one_machine_is_none(tmp_path: Path) -> None:
    given = nodes(tmp_path, 2)
    path = given[1] / CERTIFICATE_FILE
    proofs = json.loads(path.read_text())
    framework = proofs[0]["framework"]
    for one in proofs:
        if one["framework"] == framework:
            one["checks"][0].update(value=1.0, tolerance=1e-12)
    path.write_text(json.dumps(proofs))
    out = merging.merge(given, tmp_path / "all")
    assert {one.framework for one in of_campaign(out)} == {"torch", "tensorflow"} - {framework}
