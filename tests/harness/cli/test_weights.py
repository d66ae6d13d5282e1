"""suite weights, and files of weights on the command line: what fits is said, what does not is one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from harness import store
from tests import public_llm
from tests.campaigns import Recipe, build
from tests.harness.cli.conftest import Answer
from tests.public_resnet import state
from tests.tensor_files import write

pytestmark = pytest.mark.unhurried


@pytest.fixture
def file(tmp_path: Path, home: Path) -> tuple[str, Path]:
    """Of a ResNet of profile quick, which has 16 classes."""
    path = tmp_path / "resnet.safetensors"
    return write(path, state(11, 16, seed=1)), path


def test_whom_a_file_fits_is_said_with_what_stays_random(
    suite: Callable[..., Answer], file: tuple[str, Path]
) -> None:
    sha256, path = file
    answer = suite("weights", path, "--profile", "quick")
    assert answer.code == 0
    assert answer.out.endswith(f"--pretrained {sha256}={path}\n")
    told = " ".join((answer.out + answer.err).split())
    assert "resnet50_imagenet: 62 of 62 arrays; none stays random; left out: 12 counts of batches" in told
    assert "ssd: 60 of 106 arrays; random stay extra1_spread/kernel, " in told
    assert "mask_rcnn: does not fit: no ResNet of depth 14 has 'layer1.1.bn1.bias'" in told


def test_whom_the_user_names_it_must_fit(refused: Callable[..., str], file: tuple[str, Path]) -> None:
    _, path = file
    told = refused("weights", path, "-w", "ssd")
    assert f"{path} does not fit ssd as it is set: it lacks 'stage1_block3_conv1/kernel'" in told
    assert "svm takes no pretrained weights" in refused("weights", path, "-w", "svm")
    assert "unknown workload 'sdd'; did you mean 'ssd'" in refused("weights", path, "-w", "sdd")
    assert "unknown profile 'quik'" in refused("weights", path, "--profile", "quik")
    assert "absent does not exist: name a file" in refused("weights", path.with_name("absent"))


OWN_PLAN = """
repetitions = 1
sample_period_s = 0.1
baseline_s = 1.0
run_timeout_s = 60.0
expected_run_s = 10.0
power_model = {idle_w = 10, busy_cpu_w = 8}
factors.workload = ["llm"]
[settings]
"""


def test_a_plan_says_of_which_size_a_language_model_is(
    suite: Callable[..., Answer], refused: Callable[..., str], tmp_path: Path, home: Path
) -> None:
    path, plan = tmp_path / "gpt2.safetensors", tmp_path / "own.toml"
    write(path, public_llm.gpt2())
    sizes = {**public_llm.SIZES, **public_llm.GPT2}
    plan.write_text(OWN_PLAN + "".join(f"{name} = {json.dumps([value])}\n" for name, value in sizes.items()))
    answer = suite("weights", path, "--profile", plan)
    told = " ".join((answer.out + answer.err).split())
    assert (
        "llm: 34 of 34 arrays; none stays random; left out: 2 biases of keys, which no softmax sees" in told
    )
    assert "ssd" not in told  # which the plan does not name
    told = refused("weights", path, "-w", "llm")
    assert (
        "does not fit llm as it is set: its h." in told and "not [..., 2304]: is it of another size?" in told
    )
    plan.write_text(OWN_PLAN + "heads = [5]")
    assert "llm: heads must divide width, 768" in refused("weights", path, "--profile", plan)


def test_a_file_is_refused_before_anything_is_prepared_or_written(
    refused: Callable[..., str], file: tuple[str, Path], tmp_path: Path
) -> None:
    sha256, path = file
    asked = ("run", "-w", "resnet50_imagenet", "-f", "torch", "-s", "train", "--environment", "virtualenv")
    out = tmp_path / "campaign"
    run = (*asked, "--profile", "quick", "--no-verify", "-o", out, "--pretrained")
    assert f"{path} has SHA-256 {sha256}, not {'0' * 64}" in refused(*run, f"{'0' * 64}={path}")
    broken = write(path, {**state(11, 16), "bn1.running_mean": np.full(64, np.nan, np.float32)})
    reason = "its stem_norm/mean has numbers that are not finite in 32 bits"
    assert f"{path} does not fit resnet50_imagenet as it is set: {reason}" in refused(
        *run, f"{broken}={path}"
    )
    path.unlink()
    assert "does not exist: name a file as this machine sees it" in refused(*run, f"{broken}={path}")
    assert "--pretrained takes SHA256=FILE" in refused(*run, path)
    assert not out.exists()


def test_a_campaign_that_goes_on_keeps_its_weights(refused: Callable[..., str], tmp_path: Path) -> None:
    folder = build(tmp_path / "c", Recipe(blocks=1)).folder
    told = refused("run", "--resume", folder, "--pretrained", f"{'0' * 64}=x")
    assert "--resume carries out the plan of the campaign: leave out --pretrained" in told
    assert store.load_campaign(folder).record.weights == {}


def test_what_a_plan_would_run_names_the_file_by_the_beginning_of_its_checksum(
    suite: Callable[..., Answer], file: tuple[str, Path]
) -> None:
    sha256, path = file
    answer = suite("plan", "show", "-w", "ssd", "-f", "torch", "--pretrained", f"{sha256}={path}")
    told = answer.out + answer.err
    assert answer.code == 0
    assert f"pretrained {sha256[:12]}" in told and str(path) not in told
