"""What suite profile is asked for: a refused command says its refusal alone, and what is left out is one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness import store
from harness.cli import looking_told, preparing
from harness.errors import UsageError
from tests.harness.cli.conftest import MISTAKE, Answer

Suite = Callable[..., Answer]
HERE = ("--environment", "virtualenv")
ONE = ("-w", "svm", "-f", "sklearn", "-s", "train")
LOOKS = "py-spy will look"


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What would be prepared, of which nothing is."""
    seen: list[Any] = []

    def prepare(*words: Any, **more: Any) -> None:
        seen.extend(words)
        raise UsageError("that is all")

    monkeypatch.setattr(preparing, "prepare", prepare)
    monkeypatch.setattr(looking_told.spy_program, "require_looks_at_own", lambda native: None)
    monkeypatch.setattr(looking_told.spy_program, "words", lambda native: LOOKS)
    return seen


@pytest.mark.usefixtures("prepared")
@pytest.mark.parametrize(
    "words",
    [
        ("profile", "mnist_mpl"),
        ("profile", "svm", "-s", "predict"),
        ("profile", "svm", "--environment", "dokcer"),
        ("profile", "svm", "-f", "sklearn", "--pretrained", f"{'0' * 64}=no.safetensors"),
        ("profile", "svm", "-f", "sklearn", "--tool", "operators"),
        ("profile", "svm", "-f", "sklearn", "-o", "{full}", *HERE),
        ("run", *ONE, "--profile-runs", 1, "-o", "{full}", *HERE),
    ],
)
def test_a_refused_command_says_its_refusal_alone(
    suite: Suite, tmp_path: Path, words: tuple[Any, ...]
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine")
    answer = suite(*(str(one).format(full=tmp_path / "full") for one in words))
    assert (answer.code, answer.out, answer.err.count("\n")) == (MISTAKE, "", 1)


@pytest.mark.usefixtures("prepared")
@pytest.mark.parametrize("words", [
    ("profile", "svm", *ONE[2:]), ("run", *ONE, "--profile-runs", 1),
    ("profile", "svm", *ONE[2:], "--tool", "py-spy-native"),
    ("run", *ONE, "--profile-runs", 1, "--profile-tool", "py-spy-native"),
])  # fmt: skip
def test_who_will_look_is_said_once_nothing_refuses(
    suite: Suite, tmp_path: Path, words: tuple[Any, ...]
) -> None:
    assert suite(*words, *HERE, "-o", tmp_path / "campaign").out == f"{LOOKS}\n"


def test_operators_name_who_has_none_and_profile_the_others(
    suite: Suite, tmp_path: Path, prepared: list[Any]
) -> None:
    asked = (
        "profile",
        "svm",
        "mnist_mlp",
        "-f",
        "sklearn",
        "-f",
        "torch",
        "-s",
        "train",
        "--tool",
        "operators",
    )
    answer = suite(*asked, *HERE, "-o", tmp_path / "campaign")
    assert (
        answer.out.startswith("left out: sklearn has no operators of its own") and answer.out.count("\n") == 1
    )
    plan = next(one for one in prepared if hasattr(one, "treatments"))
    assert [one.label for one in plan.treatments] == ["mnist_mlp torch 2.13.0 train"]


def test_a_device_and_weights_are_asked_for_as_of_a_run(
    suite: Suite, tmp_path: Path, prepared: list[Any]
) -> None:
    asked = ("profile", "ssd", "-f", "torch", "-s", "train", "--device", "cpu", "--tool", "cprofile")
    answer = suite(*asked, *HERE, "--pretrained", f"{'0a' * 32}={tmp_path}/none", "-o", tmp_path / "campaign")
    assert answer.err == "suite: that is all\n"
    plan = next(one for one in prepared if hasattr(one, "treatments"))
    assert [(one.device, one.settings["pretrained"]) for one in plan.treatments] == [("cpu", "0a" * 32)]
    assert "cuda" in suite(*asked[:-4], "--device", "cuda", *HERE).err


@pytest.mark.frameworks
def test_the_others_are_profiled(suite: Suite, tmp_path: Path, shared_home: Path) -> None:
    """And who has no operators has every other tool's run."""
    folder = tmp_path / "campaign"
    tools = ("--tool", "operators", "--tool", "cprofile")
    asked = ("profile", "svm", "mnist_mlp", "-f", "sklearn", "-f", "torch", "-s", "train", *tools)
    answer = suite(*asked, *HERE, "-o", folder)
    assert answer.code == 0, answer.out + answer.err
    names = {run.record.planned.run_id[5:] for run in store.load_campaign(folder).runs}
    torch = {f"mnist_mlp-torch-train-{one}" for one in ("operators", "cprofile")}
    assert names == {"svm-sklearn-train-cprofile", *torch}
