"""A proof as JSON says of itself and of each check whether it passed."""

from __future__ import annotations

import json

from harness.cli import proofs_told
from harness.conformance.comparison import Checked
from harness.conformance.kept_proofs import Proof


def proof(*values: float) -> Proof:
    checks = tuple(Checked(check=f"check {n}", value=value, tolerance=1e-6) for n, value in enumerate(values))
    return Proof(
        workload="w", framework="f", version="1", device="cpu", kind="own", dtype="float32", reference="torch 1",
        isolation="docker", code_sha256="", created="", checks=checks,
    )  # fmt: skip


def test_every_proof_and_check_says_whether_it_passed() -> None:
    sound, wrong = json.loads(proofs_told.as_json([proof(0.0, 1e-7), proof(0.0, float("nan"), 1e-5)]))
    assert (sound["passed"], wrong["passed"]) == (True, False)
    assert [check["passed"] for check in sound["checks"]] == [True, True]
    assert [check["passed"] for check in wrong["checks"]] == [True, False, False]
    assert [check["value"] for check in wrong["checks"]] == [0.0, None, 1e-5]
