"""What a report tells its reader to type can be typed, and measures what the page is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.analysis.groups import grouped
from reports.commands import (
    command_again,
    command_for_more,
    command_that_proves,
    command_that_settles,
    command_that_tells,
    command_with_settings,
)
from tests.campaigns import Recipe, build


@pytest.mark.parametrize(
    ("frameworks", "profile", "command"),
    [
        (("torch", "jax"), "quick", "suite run -w mnist_cnn --profile quick -r 10"),
        (("torch", "jax"), "mine", "suite run -w mnist_cnn --profile mine.toml -r 10"),
        (
            ("tensorflow@2.20.0", "tensorflow@2.21.0"), "quick",
            "suite run -w mnist_cnn -f tensorflow@2.20.0 -f tensorflow@2.21.0 --profile quick -r 10",
        ),
    ],
)  # fmt: skip
def test_the_same_again_names_what_would_be_lost(
    tmp_path: Path, frameworks: tuple[str, ...], profile: str, command: str
) -> None:
    one = Recipe(frameworks=dict.fromkeys(frameworks, 1.0), blocks=1, isolation="docker")
    record = build(tmp_path / "c", one).record
    plan = record.plan.model_copy(update={"profile": profile})
    assert command_again(record.model_copy(update={"plan": plan}), "-r", "10") == command


def test_what_a_budget_left_open_goes_on_and_is_not_begun_anew(tmp_path: Path) -> None:
    record = build(tmp_path / "c", Recipe(blocks=1)).record
    turns = record.model_copy(update={"plan": record.plan.model_copy(update={"turns": ("mnist_cnn",)})})
    assert command_for_more(record, "-r", "10") == command_again(record, "-r", "10")
    assert command_for_more(turns, "-r", "10") == "suite run --resume results/2026-01-02-test --budget +1h"


@pytest.mark.parametrize(("profile", "file"), [("standard", "my.toml"), ("mine", "mine.toml")])
def test_settings_are_changed_in_a_plan_of_one_s_own(tmp_path: Path, profile: str, file: str) -> None:
    record = build(tmp_path / "c", Recipe(blocks=1, isolation="docker")).record
    plan = record.plan.model_copy(update={"profile": profile})
    changed = record.model_copy(update={"plan": plan})
    assert command_with_settings(changed) == f"suite run -w mnist_cnn --profile {file}"


OF_TWO = Recipe(frameworks={"torch@2.13.0": 1.0, "jax@0.10.2": 1.0}, blocks=1, isolation="docker")


@pytest.mark.parametrize(
    ("profile", "device", "command"),
    [
        ("standard", "cpu", "suite verify mnist_cnn -f torch@2.13.0 -f jax@0.10.2"),
        ("mine", "cpu", "suite verify mnist_cnn -f torch@2.13.0 -f jax@0.10.2 --profile mine.toml"),
        (
            "quick",
            "cuda",
            "suite verify mnist_cnn -f torch@2.13.0 -f jax@0.10.2 --profile quick --device cuda",
        ),
    ],
)
def test_work_is_proven_as_it_was_set_and_where_it_was_computed(
    tmp_path: Path, profile: str, device: str, command: str
) -> None:
    record = build(tmp_path / "c", OF_TWO).record
    treatments = tuple(one.model_copy(update={"device": device}) for one in record.plan.treatments)
    plan = record.plan.model_copy(update={"profile": profile, "treatments": treatments})
    asked = record.model_copy(update={"plan": plan})
    assert command_that_proves(asked, ["mnist_cnn"]) == command
    inside = asked.model_copy(update={"isolation": "virtualenv"})
    assert command_that_proves(inside, ["mnist_cnn"]) == f"{command} --environment virtualenv"


@pytest.mark.parametrize(
    ("isolation", "device", "file", "rest"),
    [
        ("docker", "cpu", "", ""),
        ("virtualenv", "cpu", "", " --environment virtualenv"),
        ("interpreter", "cuda", "", " --device cuda --environment interpreter=PATH"),
        ("docker", "rocm", "ab" * 32, f" --device rocm --pretrained {'ab' * 32}=FILE"),
        ("imported", "H100", "", ""),
    ],
)
def test_what_is_measured_again_is_where_and_from_which_weights_it_was(
    tmp_path: Path, isolation: str, device: str, file: str, rest: str
) -> None:
    record = build(tmp_path / "c", OF_TWO).record
    changed = {"device": device} | ({"settings": {"pretrained": file}} if file else {})
    treatments = tuple(one.model_copy(update=changed) for one in record.plan.treatments)
    plan = record.plan.model_copy(update={"treatments": treatments, "profile": "quick"})
    asked = record.model_copy(update={"plan": plan, "isolation": isolation})
    (group,) = grouped(treatments)
    assert command_again(asked, "-r", "9") == f"suite run -w mnist_cnn --profile quick -r 9{rest}"
    both = "-f torch@2.13.0 -f jax@0.10.2 -s train --profile quick -r 9"
    settles = f"suite run -w mnist_cnn {both}{rest}" if isolation != "imported" else ""  # another tool's work
    assert command_that_settles(asked, group, group.treatments, 9) == settles
    assert command_that_tells(asked) == (
        f"suite run -w mnist_cnn {both.replace('-r 9', '-r 3 --profile-runs 3')}{rest}"
    )


def test_the_cpu_is_named_where_a_gpu_would_be_taken_and_beside_a_gpu_it_is_not(tmp_path: Path) -> None:
    record = build(tmp_path / "c", OF_TWO).record
    seen = record.channels[0].model_copy(
        update={"name": "nvml/gpu-0/energy", "domain": "gpu", "boundary": False}
    )
    on_gpus = record.model_copy(update={"channels": (*record.channels, seen)})
    assert command_again(on_gpus).endswith(" --device cpu") and "--device" not in command_again(record)
    first, *others = record.plan.treatments
    mixed = (first.model_copy(update={"device": "cuda"}), *others)
    plan = record.plan.model_copy(update={"treatments": mixed})
    assert command_again(on_gpus.model_copy(update={"plan": plan})).endswith(" --device cuda")


def test_levels_of_weights_that_a_plan_names_itself_stay_its_own(tmp_path: Path) -> None:
    record = build(tmp_path / "c", OF_TWO).record
    first, *others = record.plan.treatments
    levels = (first.model_copy(update={"settings": {"pretrained": "ab" * 32}}), *others)
    plan = record.plan.model_copy(update={"treatments": levels, "profile": "mine"})
    assert "--pretrained" not in command_again(record.model_copy(update={"plan": plan}))


def test_a_file_of_weights_is_never_asked_of_all_workloads(tmp_path: Path) -> None:
    record = build(tmp_path / "c", OF_TWO).record
    first = record.plan.treatments[0].model_copy(update={"settings": {"pretrained": "ab" * 32}})
    names = ("llm", "resnet50_imagenet", "ssd", "mask_rcnn")
    several = tuple(first.model_copy(update={"workload": one}) for one in names)
    plan = record.plan.model_copy(update={"treatments": several})
    command = command_again(record.model_copy(update={"plan": plan}))
    assert "--all" not in command and all(f"-w {one}" in command for one in names)


def test_what_no_such_command_can_prove_has_none(tmp_path: Path) -> None:
    record = build(tmp_path / "c", OF_TWO).record
    begun = tuple(
        one.model_copy(update={"settings": {"pretrained": "ab" * 32}}) for one in record.plan.treatments
    )
    from_file = record.model_copy(update={"plan": record.plan.model_copy(update={"treatments": begun})})
    own_python = record.model_copy(update={"isolation": "interpreter"})
    assert not any(command_that_proves(one, ["mnist_cnn"]) for one in (from_file, own_python))
    assert command_that_proves(record, ["svm"]) == command_that_proves(record, []) == ""
