"""suite run --resume of a stranger's campaign: nothing that its record names is run unless the user names it, too."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harness import store
from harness.cli import resuming
from harness.environments.choose import Choice
from harness.errors import UsageError
from tests.campaigns import Recipe, build
from tests.harness.cli.conftest import Answer
from tests.harness.cli.test_every_mistake import tree


def test_an_interpreter_that_a_record_names_is_not_run_unasked(
    refused: Callable[..., str], tmp_path: Path
) -> None:
    evil, harm = tmp_path / "python", tmp_path / "harm"
    evil.write_text(f"#!/bin/sh\ntouch {harm}\n")
    evil.chmod(0o755)
    folder = build(tmp_path / "c", Recipe(blocks=1)).folder
    record = json.loads((folder / store.CAMPAIGN_FILE).read_text())
    inside = {name: {"interpreter": str(evil)} for name in ("torch 2.13.0", "jax 0.10.2")}
    changed = {**record, "isolation": "interpreter", "environments": inside}
    (folder / store.CAMPAIGN_FILE).write_text(json.dumps(changed))
    for words in ((), ("--environment", "interpreter=python3")):
        told = refused("run", "--resume", folder, *words)
        assert f"if you trust it, add --environment interpreter={evil}" in told
    assert not harm.exists()


@pytest.mark.parametrize(
    ("words", "stale"), [((), False), (("--allow-stale", "--environment", "docker"), True)]
)
def test_stale_images_are_taken_where_the_user_takes_them_now(
    refused: Callable[..., str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    stale: bool,
) -> None:
    seen: list[Choice] = []

    def environments(plan: object, choice: Choice, *rest: object) -> None:
        seen.append(choice)
        raise UsageError("enough is seen")

    monkeypatch.setattr(resuming.preparation, "datasets", lambda plan, say: None)
    monkeypatch.setattr(resuming.preparation, "environments", environments)
    folder = build(tmp_path / "c", Recipe(blocks=1, isolation="docker")).folder
    assert "enough is seen" in refused("run", "--resume", folder, *words)
    assert [(one.kind, one.allow_stale) for one in seen] == [("docker", stale)]


def test_a_profiled_campaign_is_not_taken_up_as_a_measured_one(
    refused: Callable[..., str], tmp_path: Path
) -> None:
    folder = build(tmp_path / "c", Recipe(blocks=0, profile_runs=1)).folder
    told = refused("run", "--resume", folder)
    assert "was profiled" in told
    assert "suite profile" in told


def test_a_dry_run_of_resuming_tells_what_is_left_and_does_nothing(
    suite: Callable[..., Answer], tmp_path: Path
) -> None:
    folder = build(tmp_path / "c", Recipe(unfinished=2)).folder
    before = tree(folder)
    answer = suite("run", "--resume", folder, "--dry-run")
    assert answer.code == 0
    left = [line.split() for line in answer.out.splitlines() if "measure" in line]
    assert [words[0] for words in left] == ["3", "3"]  # the block
    assert "4 of 6 runs are done" in answer.out
    assert tree(folder) == before
    assert "4 of 6 runs done" in suite("status", folder).out
