"""Environments are prepared two at a time; what cannot be is left out, and Ctrl-C leaves no installer behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from harness.campaign import preparation
from harness.errors import MissingPrerequisite
from harness.records import Plan, PowerModel, Treatment

NAMES = ("jax", "sklearn", "torch")
POWER = PowerModel(idle_w=10.0, busy_cpu_w=8.0)
SVM = Treatment(workload="svm", framework="", version="1", stage="train", dataset="d")
PLAN = Plan(
    profile="quick", repetitions=1, seed=1, sample_period_s=0.1, baseline_s=0.0, run_timeout_s=10.0, power_model=POWER,
    expected_run_s=1.0,
    treatments=tuple(SVM.model_copy(update={"framework": name}) for name in NAMES),
)  # fmt: skip


class Choice:
    """Offers environments whose preparing is a function."""

    kind = "virtualenv"

    def __init__(self, prepare: Any) -> None:
        self._prepare = prepare

    def environment(self, framework: Any, version: str) -> Any:
        return SimpleNamespace(prepare=lambda: self._prepare(framework.name), name=framework.name)


def prepared(prepare: Any, named: tuple[str, ...] = ()) -> preparation.Prepared:
    return preparation.environments(PLAN, Choice(prepare), named, lambda words: None)  # type: ignore[arg-type]


def test_two_are_prepared_at_the_same_time_and_each_is_found_under_its_name() -> None:
    together = threading.Barrier(2, timeout=20)

    def prepare(name: str) -> None:
        if name != "torch":
            together.wait()

    ready = prepared(prepare).environments
    assert {place: one.name for place, one in ready.items()} == {(name, "1"): name for name in NAMES}  # type: ignore[attr-defined]


def refuse_torch(name: str) -> None:
    if name == "torch":
        raise MissingPrerequisite("no wheels of torch")


def test_one_that_cannot_be_is_left_out_with_the_reason_unless_it_was_named() -> None:
    found = prepared(refuse_torch)
    assert set(found.environments) == {("jax", "1"), ("sklearn", "1")}
    assert [(one.treatment.framework, one.reason) for one in found.skipped] == [
        ("torch", "no wheels of torch")
    ]
    with pytest.raises(MissingPrerequisite, match="no wheels of torch"):
        prepared(refuse_torch, named=("torch",))


def test_one_that_was_named_is_refused_while_another_is_still_prepared() -> None:
    def prepare(name: str) -> None:
        refuse_torch(name)
        if name == "jax":
            subprocess.run([sys.executable, "-c", "import time; time.sleep(60)"], check=False)

    begun = time.monotonic()
    with pytest.raises(MissingPrerequisite, match="no wheels of torch"):
        prepared(prepare, named=("torch",))
    assert time.monotonic() - begun < 30


def test_none_at_all_is_refused() -> None:
    def refuse(name: str) -> None:
        raise MissingPrerequisite(f"no {name}")

    with pytest.raises(MissingPrerequisite, match="no jax; no sklearn; no torch"):
        prepared(refuse)


def test_ctrl_c_ends_the_programs_that_install() -> None:
    def prepare(name: str) -> None:
        if name == "jax":
            threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        subprocess.run([sys.executable, "-c", "import time; time.sleep(60)"], check=False)

    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        prepared(prepare)
    assert time.monotonic() - begun < 20
    assert not [one for one in psutil.Process().children() if "time.sleep(60)" in one.cmdline()]
