"""Before a campaign its equal work is proven, once, with the machine for itself; what differs is not measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from harness.campaign import machine_lock
from harness.cli import proof_first
from harness.conformance import certificate, proving
from harness.conformance.asked import Asked, Place
from harness.conformance.kept_proofs import Proof
from harness.errors import MissingPrerequisite
from harness.records import Plan, PowerModel, Treatment
from tests.emulators.environment import EmulatedEnvironment
from tests.harness.conformance.test_certificate import FAILED, JAX, PASSED, TORCH, proof


def plan_of(*treatments: Treatment) -> Plan:
    power = PowerModel(idle_w=10.0, busy_cpu_w=8.0)
    return Plan(
        profile="quick", treatments=treatments, repetitions=1, seed=1, sample_period_s=0.1, baseline_s=0.0,
        run_timeout_s=10.0, power_model=power, expected_run_s=1.0,
    )  # fmt: skip


PLAN = plan_of(TORCH, JAX)
ENVIRONMENTS = {(one.framework, one.version): EmulatedEnvironment() for one in (TORCH, JAX)}


class Prover:
    """In the place of frameworks: what it was asked for, and a proof of each, in which jax may differ."""

    def __init__(self, differing: bool = False) -> None:
        self.asked: list[tuple[Place, Asked]] = []
        self.differing = differing

    def __call__(
        self, wanted: Mapping[Place, Sequence[Asked]], places: object, environments: object, say: object
    ) -> list[Proof]:
        pairs = [(place, one) for place, several in wanted.items() for one in several]
        self.asked += pairs
        return [
            proof(*place[:2], FAILED if self.differing and place[0] == "jax" else PASSED, asked=one)
            for place, one in pairs
        ]


@pytest.fixture
def prover(monkeypatch: pytest.MonkeyPatch, home: Path) -> Prover:
    one = Prover()
    monkeypatch.setattr(proving, "prove", one)
    return one


def test_it_is_proven_once_and_then_known(prover: Prover, tmp_path: Path) -> None:
    assert list(proof_first.findings(PLAN, "virtualenv"))
    proof_first.ensure(PLAN, ENVIRONMENTS, tmp_path)
    assert len(prover.asked) == 6  # three kinds of each of two frameworks
    proof_first.ensure(PLAN, ENVIRONMENTS, tmp_path)
    assert len(prover.asked) == 6
    assert list(proof_first.findings(PLAN, "virtualenv")) == []


def test_what_was_proven_in_another_isolation_is_proven_again(
    monkeypatch: pytest.MonkeyPatch, prover: Prover, tmp_path: Path
) -> None:
    proof_first.ensure(PLAN, ENVIRONMENTS, tmp_path)
    assert list(proof_first.findings(PLAN, "docker"))
    monkeypatch.setattr(EmulatedEnvironment, "isolation", "docker")
    proof_first.ensure(PLAN, ENVIRONMENTS, tmp_path)
    assert len(prover.asked) == 12


def test_what_differs_is_named_and_tried_again_the_next_time(
    prover: Prover, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prover.differing = True
    for _ in range(2):
        with pytest.raises(proof_first.NotEqual, match=r"same work: mnist_cnn jax 0\.10\.2; .*--no-verify"):
            proof_first.ensure(PLAN, ENVIRONMENTS, tmp_path)
    assert "outputs is 0.001 apart" in capsys.readouterr().out
    assert [place[0] for place, _ in prover.asked] == ["torch"] * 3 + ["jax"] * 6
    assert certificate.unproven(PLAN.treatments, certificate.load()) == ["mnist_cnn jax 0.10.2"]


def test_nobody_else_is_measured_meanwhile(
    monkeypatch: pytest.MonkeyPatch, prover: Prover, tmp_path: Path
) -> None:
    def prove(*arguments: Any) -> list[Proof]:
        with pytest.raises(MissingPrerequisite), machine_lock.hold(tmp_path):
            pass
        return prover(*arguments)

    monkeypatch.setattr(proving, "prove", prove)
    proof_first.ensure(PLAN, ENVIRONMENTS, tmp_path)
    with machine_lock.hold(tmp_path), pytest.raises(MissingPrerequisite, match="one campaign at a time"):
        certificate.save([])
        proof_first.ensure(
            plan_of(TORCH, JAX.model_copy(update={"dataset": "mnist"})), ENVIRONMENTS, tmp_path
        )


def test_a_plan_says_whether_it_is_proven(
    prover: Prover, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    proof_first.tell(PLAN)
    assert "not proven yet of 2 implementations" in capsys.readouterr().out
    proof_first.ensure(PLAN, ENVIRONMENTS, tmp_path)
    proof_first.tell(PLAN)
    assert "equal work is proven (virtualenv)" in capsys.readouterr().out
