"""The user's own interpreter: its worker is started for the device that the framework is asked to compute on."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from harness.environments import interpreter
from harness.environments.choose import Choice
from harness.environments.frameworks import framework


@pytest.mark.parametrize(
    ("name", "device"), [("torch", "cuda"), ("sklearn", "cpu")]
)  # which has no build for a GPU
def test_a_worker_is_bound_as_its_device_allows(
    name: str, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A GPU's driver reserves more memory than a worker on CPUs may."""
    started: list[Any] = []
    monkeypatch.setattr(interpreter, "worker_command", lambda python, job: ["worker"])
    monkeypatch.setattr(interpreter, "ProcessJob", lambda *given: started.append(given))
    choice = Choice("interpreter", sys.executable, device="cuda")
    choice.environment(framework(name), "0").start("job")  # type: ignore[arg-type]
    assert started == [(["worker"], "job", device)]
