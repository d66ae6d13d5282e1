"""A workload is proven when its turn comes, once; what lacks its proof, or time for it, is said."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.campaign import due_proofs
from harness.campaign.due_proofs import DueProofs
from harness.conformance import certificate, kept_proofs, recording
from harness.conformance.asked import Asked, Place
from harness.conformance.kept_proofs import Proof
from harness.conformance.recording import BreakOff, OutOfTime, ProofFailed
from tests.emulators.environment import EmulatedEnvironment
from tests.harness.conformance.test_certificate import FAILED, JAX, PASSED, TORCH, proof

OTHERS = [one.model_copy(update={"workload": "mnist_mlp"}) for one in (TORCH, JAX)]


class Prover:
    """In the place of frameworks."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, float | None]] = []
        self.differing, self.error = False, None  # type: ProofFailed | None

    def __call__(
        self, wanted: Mapping[Place, Sequence[Asked]], places: object, environments: object, say: object,
        end_s: float | None,
    ) -> list[Proof]:  # fmt: skip
        self.asked += [(one.workload, end_s) for several in wanted.values() for one in several]
        if self.error:
            raise self.error
        return [
            proof(*place[:2], FAILED if self.differing else PASSED, asked=one)
            for place, several in wanted.items()
            for one in several
        ]


@pytest.fixture
def prover(monkeypatch: pytest.MonkeyPatch, home: Path) -> Prover:
    one = Prover()
    monkeypatch.setattr(due_proofs, "prove", one)
    return one


def due(folder: Path) -> DueProofs:
    environments = {(one.framework, one.version): EmulatedEnvironment() for one in (TORCH, JAX)}
    plan = SimpleNamespace(treatments=(TORCH, JAX, *OTHERS))
    campaign: Any = SimpleNamespace(folder=folder, plan=plan, environments=environments)
    return DueProofs(campaign, lambda words: None)


def test_one_workload_is_proven_at_a_time_and_what_it_passed_lies_beside_the_campaign(
    prover: Prover, tmp_path: Path
) -> None:
    proofs = due(tmp_path)
    assert proofs.why_not(TORCH.workload, 5.0) == ""
    assert set(prover.asked) == {(TORCH.workload, 5.0)}
    assert {one.workload for one in kept_proofs.of_campaign(tmp_path)} == {TORCH.workload}
    assert certificate.unproven((TORCH, JAX), certificate.load()) == []
    assert certificate.unproven(OTHERS, certificate.load())
    asked = len(prover.asked)
    assert due(tmp_path).why_not(TORCH.workload, 5.0) == ""  # of a campaign that goes on
    assert len(prover.asked) == asked and not proofs.failed


def test_what_differs_is_named_is_a_failure_and_counts_as_unproven(prover: Prover, tmp_path: Path) -> None:
    prover.differing, proofs = True, due(tmp_path)
    assert "these do not do the same work: torch 2.13.0, jax 0.10.2" in proofs.why_not(TORCH.workload, None)
    assert proofs.failed
    assert kept_proofs.of_campaign(tmp_path) == ()


def test_what_time_broke_off_is_said_is_no_failure_and_is_not_tried_twice(
    prover: Prover, tmp_path: Path
) -> None:
    prover.error, proofs = OutOfTime("broken off"), due(tmp_path)
    why = proofs.why_not(TORCH.workload, 1.0)
    assert "there was no time to prove that its implementations do the same work" in why
    asked = len(prover.asked)
    assert proofs.why_not(TORCH.workload, 0.5) == why
    assert len(prover.asked) == asked and not proofs.failed


def test_a_proof_that_does_not_come_to_its_end_is_a_failure(prover: Prover, tmp_path: Path) -> None:
    prover.error, proofs = ProofFailed("out of memory"), due(tmp_path)
    assert proofs.why_not(TORCH.workload, None).endswith("could not be proven: out of memory")
    assert proofs.failed


def test_time_breaks_off_as_whoever_needs_no_proof_does() -> None:
    assert not BreakOff().is_set() and not BreakOff(time.monotonic() + 60).is_set()
    late = BreakOff(time.monotonic() - 1)
    assert late.is_set() and late.out_of_time
    told = BreakOff(time.monotonic() + 60)
    told.set()
    assert told.is_set() and not told.out_of_time


@pytest.mark.parametrize(("stop", "error"), [(BreakOff(0.0), OutOfTime), (BreakOff(), ProofFailed)])
def test_a_worker_is_waited_for_no_longer(stop: BreakOff, error: type[ProofFailed]) -> None:
    stop.set()
    folder: Any = SimpleNamespace(lease=SimpleNamespace(go=lambda: None), pipes=[])
    request: Any = SimpleNamespace(run_id="proof", settings={recording.PROOFS: []})
    with pytest.raises(ProofFailed, match="broken off") as found:
        recording._follow(SimpleNamespace(), folder, SimpleNamespace(), request, stop)  # type: ignore[arg-type]
    assert type(found.value) is error


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (
            "RESOURCE_EXHAUSTED: 33 GB",
            " (set smaller batches or sizes; `suite run --no-verify` measures without a proof or verdicts)",
        ),
        ("ImportError: no such module", ""),
    ],
)
def test_a_proof_that_takes_too_much_memory_names_what_to_do(error: str, remedy: str) -> None:
    failed = SimpleNamespace(data={"error": error})
    tail: Any = SimpleNamespace(poll=lambda: None, find=lambda kind: failed if kind == "failed" else None)
    folder: Any = SimpleNamespace(lease=SimpleNamespace(go=lambda: None), take_output=lambda: None, pipes=[])
    request: Any = SimpleNamespace(run_id="proof", settings={recording.PROOFS: []})
    running: Any = SimpleNamespace(poll=lambda: None)
    with pytest.raises(ProofFailed) as found:
        recording._follow(running, folder, tail, request, BreakOff())
    assert str(found.value) == f"proof: {error}{remedy}"
