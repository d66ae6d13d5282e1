"""What a report tells its reader to type can be typed, and measures what the page is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from reports.commands import command_again, command_for_more, command_that_proves
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
    record = build(tmp_path / "c", Recipe(frameworks=dict.fromkeys(frameworks, 1.0), blocks=1)).record
    plan = record.plan.model_copy(update={"profile": profile})
    assert command_again(record.model_copy(update={"plan": plan}), "-r", "10") == command


def test_what_a_budget_left_open_goes_on_and_is_not_begun_anew(tmp_path: Path) -> None:
    record = build(tmp_path / "c", Recipe(blocks=1)).record
    turns = record.model_copy(update={"plan": record.plan.model_copy(update={"turns": ("mnist_cnn",)})})
    assert command_for_more(record, "-r", "10") == command_again(record, "-r", "10")
    assert command_for_more(turns, "-r", "10") == "suite run --resume results/2026-01-02-test --budget +1h"


@pytest.mark.parametrize(
    ("profile", "device", "command"),
    [
        ("standard", "cpu", "suite verify mnist_cnn"),
        ("mine", "cpu", "suite verify mnist_cnn --profile mine.toml"),
        ("quick", "cuda", "suite verify mnist_cnn --profile quick --device cuda"),
    ],
)
def test_work_is_proven_as_it_was_set_and_where_it_was_computed(
    tmp_path: Path, profile: str, device: str, command: str
) -> None:
    record = build(tmp_path / "c", Recipe(blocks=1)).record
    treatments = tuple(one.model_copy(update={"device": device}) for one in record.plan.treatments)
    plan = record.plan.model_copy(update={"profile": profile, "treatments": treatments})
    assert command_that_proves(record.model_copy(update={"plan": plan}), ["mnist_cnn"]) == command
