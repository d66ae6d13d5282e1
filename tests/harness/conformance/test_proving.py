"""Which proofs are made: each default mode in both precisions, and where asked the other modes in float64."""

from __future__ import annotations

from typing import Any

import pytest

from harness.conformance import proving
from harness.conformance.proving import Able
from suite.protocol import Request
from tests.emulators.environment import EmulatedEnvironment

IN_FORCE = {"torch": "eager", "jax": "scan"}


def fake_record(environment: object, request: Request) -> dict[str, Any]:
    """What a worker would write, in few numbers, the same for all."""
    sketch = {"w": {"shape": [1], "norm": 1.0, "entries": [1.0]}}
    trace = {"losses": [2.0], "train_loss": 2.0, "params": sketch, "train_params": sketch}
    assert request.settings.get("proof_steps") in (None, proving.MODE_STEPS)
    asked = str(request.settings["mode"])
    mode = IN_FORCE[request.framework] if asked == "default" else asked
    record = {"mode": mode, "parameters": 1, "logits": [1.0], "gradients": sketch}
    return {**record, "plain": trace, "as_specified": trace}


@pytest.mark.parametrize(
    ("modes", "more"), [({}, []), ({"torch": ("eager", "compile"), "jax": ("jit", "scan")}, ["compile", "jit"])]
)  # fmt: skip
def test_the_default_modes_in_both_precisions_and_the_others_once(
    monkeypatch: pytest.MonkeyPatch, modes: dict[str, tuple[str, ...]], more: list[str]
) -> None:
    monkeypatch.setattr(proving, "record", fake_record)
    able = {(name, "1"): Able(EmulatedEnvironment(), modes.get(name, ())) for name in ("jax", "torch")}
    said: list[str] = []
    proofs = list(proving.prove("mnist_cnn", able, "cpu", said.append))
    assert all(one.passed and one.reference == "torch 1" for one in proofs)
    in_force = [(one.dtype, one.mode_in_force) for one in proofs if one.mode == "default"]
    assert sorted(in_force) == sorted((d, m) for d in ("float32", "float64") for m in ("eager", "scan"))
    others = [one for one in proofs if one.mode != "default"]
    assert sorted(one.mode for one in others) == more and {one.dtype for one in others} <= {"float64"}
    again = 1 if more else 0  # the reference, in as many steps as the other modes take
    assert len(said) == len(proofs) + again and len({one.key for one in proofs}) == len(proofs)
