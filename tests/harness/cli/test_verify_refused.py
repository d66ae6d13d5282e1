"""suite verify refuses in one line what cannot be proven, before anything is prepared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.campaign import preparation

TWO = ("verify", "mnist_mlp", "-f", "torch", "-f", "jax", "--profile", "quick")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("svm",), "svm has one implementation"),
        (("mnist_cn",), "mnist_cnn"),
        (("mnist_cnn", "-f", "sklearn"), "mnist_cnn has no implementation for sklearn"),
        (("mnist_cnn", "-f", "torch@9"), "9"),
        (("mnist_cnn", "--kind", "exac"), "exact"),
    ],
)
def test_what_cannot_be_proven_is_one_line(
    refused: Callable[..., str], words: tuple[str, ...], line: str
) -> None:
    assert line in refused("verify", *words, "--environment", "virtualenv")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ((*TWO, "--kind", "answers"), "nothing of this has a proof of kind answers: leave --kind out"),
        (
            ("verify", "mnist_cnn", "-f", "torch"),
            "two frameworks are needed: name another by -f, or add --modes",
        ),
    ],
)
def test_what_proves_nothing_is_refused_before_anything_is_prepared(
    refused: Callable[..., str], words: tuple[str, ...], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared: list[object] = []
    monkeypatch.setattr(preparation, "environments", lambda *told: prepared.append(told))
    monkeypatch.setattr(preparation, "datasets", lambda *told: prepared.append(told))
    assert line in refused(*words, "--environment", "virtualenv")
    assert prepared == []


def test_a_campaign_may_be_refused_without_the_proof(refused: Callable[..., str], home: Path) -> None:
    line = refused("run", "-w", "mnist_cnn", "-f", "torch", "-f", "jax", "--profile", "quick", "--require", "verified",
                   "--no-verify", "--environment", "virtualenv")  # fmt: skip
    assert "verified is required: nobody has proven here" in line
    assert "without --no-verify" in line
