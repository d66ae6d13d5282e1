"""suite verify: the proof in containers, its certificate in a campaign and its report."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import docker
import psutil
import pytest

from harness import paths
from harness.campaign import preparation
from tests.emulators.environment import EmulatedEnvironment
from tests.harness.cli.conftest import Answer

Suite = Callable[..., Answer]
TWO = ("verify", "mnist_mlp", "-f", "torch", "-f", "jax", "--profile", "quick")


@pytest.mark.frameworks
@pytest.mark.engine
def test_two_frameworks_are_proven_in_their_containers(
    suite: Suite, engine: docker.DockerClient, shared_home: Path
) -> None:
    answer = suite(*TWO, "--environment", "docker", "--json")
    assert answer.code == 0, answer.err
    proofs = json.loads(answer.out)
    assert {(one["framework"], one["kind"], one["mode_in_force"], one["isolation"]) for one in proofs} == {
        (name, kind, mode, "docker")
        for name, mode in (("torch", "eager"), ("jax", "scan"))
        for kind in ("exact", "long", "own")
    }
    assert {(one["dataset"], one["settings"]) for one in proofs if one["kind"] == "own"} == {
        ("digits", '{"batch_size": 32, "epochs": 20}')
    }
    for proof in proofs:
        names = {check["check"] for check in proof["checks"]}
        assert {"parameters", "outputs", "losses", "moved hidden1/kernel"} <= names
        exact = proof["kind"] == "exact"
        assert ("gradients hidden1/kernel" in names) is exact
        by_train = (
            "epoch 2 train loss, epoch 2 loss, epoch 2 rows, epoch 2 answers again, answers of its weights"
        )
        for name in (*by_train.split(", "), "train moved hidden1/kernel"):
            assert (name in names) is not exact
        assert all(check["value"] <= check["tolerance"] for check in proof["checks"])
        assert all(check.pop("passed") for check in proof["checks"]) and proof.pop("passed")
    assert json.loads((shared_home / "conformance.json").read_text()) == proofs


@pytest.mark.frameworks
def test_of_one_kind_there_is_that_proof_alone(suite: Suite, shared_home: Path) -> None:
    answer = suite(*TWO, "--environment", "virtualenv", "--kind", "exact", "--json")
    assert answer.code == 0, answer.err
    told = sorted((one["framework"], one["kind"]) for one in json.loads(answer.out))
    assert told == [("jax", "exact"), ("torch", "exact")]


def _workers(home: Path) -> list[psutil.Process]:
    """Those that prove at the moment, of this test's home."""
    found = []
    for one in psutil.process_iter(["cmdline"]):
        words = one.info["cmdline"] or []
        found += [one] if "suite.run" in words and any(word.startswith(str(home)) for word in words) else []
    return found


@pytest.mark.frameworks
def test_ctrl_c_ends_all_that_prove_at_once_and_leaves_nothing(shared_home: Path, tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    words = (
        "verify",
        "resnet",
        "-f",
        "torch",
        "-f",
        "jax",
        "--profile",
        "quick",
        "--environment",
        "virtualenv",
    )
    running = subprocess.Popen(
        [sys.executable, "-m", "harness.cli", *words],
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    end_s = time.monotonic() + 300
    while not _workers(shared_home) and running.poll() is None and time.monotonic() < end_s:
        time.sleep(0.05)
    time.sleep(1.0)  # both compute
    running.send_signal(signal.SIGINT)
    told, _ = running.communicate(timeout=30)
    assert running.returncode == 130, told
    assert "Traceback" not in told and _workers(shared_home) == []
    assert list((tmp_path / "tmp").iterdir()) == [] and not (shared_home / "conformance.json").exists()


def test_a_proof_does_not_begin_while_a_campaign_is_measured(
    suite: Suite, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It computes on every CPU."""
    ready = {("torch", "2.13.0"): EmulatedEnvironment(), ("jax", "0.10.2"): EmulatedEnvironment()}
    monkeypatch.setattr(preparation, "environments", lambda *_: preparation.Prepared(ready, ()))
    monkeypatch.setenv("JOULEMARK_LOCK", str(tmp_path / "machine.lock"))
    held = """
import pathlib, sys, time
from harness.campaign import machine_lock
with machine_lock.hold(pathlib.Path("/measured")):
    print(flush=True)
    time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", held], cwd=paths.ROOT, stdout=subprocess.PIPE) as holder:
        assert holder.stdout and holder.stdout.readline()
        words = ("verify", "mnist_mlp", "-f", "torch", "-f", "jax", "--profile", "quick")
        try:
            answer = suite(*words)
            assert (answer.code, "the campaign in /measured is under way" in answer.err) == (2, True)
        finally:
            holder.kill()
