"""What is recorded, by whom, at the same time, and what becomes of it when one fails or somebody breaks it off."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest

from harness.conformance import certificate, proving
from harness.conformance.asked import Asked, Place
from harness.conformance.recording import ProofFailed
from harness.conformance.references import with_references
from tests.emulators.environment import EmulatedEnvironment
from tests.harness.conformance.test_comparison import record as recorded

IN_FORCE = {"torch": "eager", "jax": "scan"}
TORCH, JAX = ("torch", "1", "cpu"), ("jax", "1", "cpu")
PLACES = (JAX, TORCH)
ENVIRONMENTS = {place[:2]: EmulatedEnvironment() for place in PLACES}
EXACT = Asked("mnist_cnn", "exact")
OWN = Asked("mnist_cnn", "own", "default", "digits", '{"batch_size": 32}')


def fake_record(
    environment: object, place: Place, several: Sequence[Asked], cpus: object, stop: threading.Event
) -> list[dict[str, Any]]:
    """What a worker would write, the same for all."""
    return [
        {"mode": IN_FORCE[place[0]] if one.mode == "default" else one.mode, **recorded()} for one in several
    ]


def test_all_that_is_wanted_is_proven_against_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proving, "record", fake_record)
    said: list[str] = []
    in_jit = Asked("mnist_cnn", "exact", "jit")
    wanted = {JAX: [EXACT, in_jit, OWN], TORCH: [EXACT]}
    proofs = proving.prove(wanted, PLACES, ENVIRONMENTS, said.append)
    assert all(one.passed and one.reference == "torch 1" for one in proofs)
    assert [one.key for one in proofs] == [
        (place, one) for place, several in wanted.items() for one in several
    ]
    assert [one.mode_in_force for one in proofs] == ["scan", "jit", "scan", "eager"]
    assert [one.dtype for one in proofs] == ["float64", "float64", "float32", "float64"]
    assert sorted(said) == ["proving jax 1: mnist_cnn", "proving torch 1: mnist_cnn"]


def test_a_stale_image_proves_nothing_of_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proving, "record", fake_record)
    environments = {**ENVIRONMENTS, JAX[:2]: EmulatedEnvironment(stale=True)}
    found = proving.prove({JAX: [EXACT], TORCH: [EXACT]}, PLACES, environments, lambda line: None)
    assert all(one.passed for one in found)
    assert [one.framework for one in certificate.valid(found).values()] == ["torch"]
    stale_reference = {**ENVIRONMENTS, TORCH[:2]: EmulatedEnvironment(stale=True)}
    found = proving.prove({JAX: [EXACT]}, PLACES, stale_reference, lambda line: None)
    assert found[0].passed and certificate.valid(found) == {}


def test_code_that_changes_while_it_is_proven_is_not_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = iter(range(10))
    monkeypatch.setattr(proving, "record", fake_record)
    monkeypatch.setattr(proving, "code_sha256", lambda *_: str(next(hashes)))
    with pytest.raises(ProofFailed, match="was changed while it was proven"):
        proving.prove({JAX: [EXACT]}, PLACES, ENVIRONMENTS, lambda line: None)


def test_the_reference_is_recorded_in_its_default_mode_though_it_is_proven_already() -> None:
    in_jit = Asked("mnist_cnn", "exact", "jit")
    assert with_references({JAX: [in_jit, OWN]}, PLACES) == {JAX: [in_jit, OWN], TORCH: [EXACT, OWN]}
    assert with_references({JAX: [EXACT]}, [JAX]) == {JAX: [EXACT]}


def test_who_fails_breaks_off_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def record(
        environment: object, place: Place, several: object, cpus: object, stop: threading.Event
    ) -> list[dict[str, Any]]:
        if place == TORCH:
            raise ProofFailed("torch does not come to its end")
        assert stop.wait(20), "nobody has told it that it may end"
        raise ProofFailed("broken off")

    monkeypatch.setattr(proving, "record", record)
    monkeypatch.setattr(proving.machine, "share_cpus", lambda: proving.machine.Cpus((0, 1), (1,)))
    begun = time.monotonic()
    with pytest.raises(ProofFailed, match="torch does not"):
        proving.prove({TORCH: [EXACT], JAX: [EXACT]}, PLACES, ENVIRONMENTS, lambda words: None)
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize(
    ("cpus", "frameworks", "alone", "shares"),
    [
        ((0, 1), 4, False, [(0,), (1,)]),
        ((0, 1, 2, 3), 2, False, [(0, 2), (1, 3)]),
        ((0, 1), 4, True, [(0, 1)]),
        ((0,), 3, False, [(0,)]),
    ],
)
def test_every_framework_that_is_proven_at_once_has_cpus_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
    cpus: tuple[int, ...],
    frameworks: int,
    alone: bool,
    shares: list[tuple[int, ...]],
) -> None:
    monkeypatch.setattr(proving.machine, "share_cpus", lambda: proving.machine.Cpus(cpus, cpus))
    assert proving._shares(frameworks, alone) == shares
