"""The version that is told, and the commit of a checkout: of a repository that git alone made, and of none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from harness import version
from harness.cli import cli
from harness.exports import anonymous
from tests.campaigns import Recipe, campaign_record
from tests.harness.test_installed import commit


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "file").write_text("before")
    return tmp_path


def test_a_checkout_has_its_commit_and_says_what_was_changed_since(repository: Path) -> None:
    told = commit(repository)
    assert len(told) == 12 and int(told, 16) >= 0
    (repository / "file").write_text("after")
    assert version.commit_of(repository) == f"{told}, changed"


def test_what_is_no_checkout_has_none_even_within_one(repository: Path) -> None:
    assert version.commit_of(repository) == ""
    commit(repository)
    (repository / "inside").mkdir()
    assert version.commit_of(repository / "inside") == ""


def test_a_repository_that_git_cannot_read_has_none(repository: Path) -> None:
    (repository / ".git").write_text("gitdir: /nowhere")
    assert version.commit_of(repository) == ""


def test_within_a_hook_of_another_repository_it_is_still_its_own(
    repository: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, other = commit(repository), tmp_path_factory.mktemp("other")
    (other / "file").write_text("other")
    assert commit(other) != told
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    assert version.commit_of(repository) == told


def test_nothing_that_a_repository_configures_is_executed(repository: Path) -> None:
    commit(repository)
    trap = repository / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {repository}/sprung\n")
    trap.chmod(0o755)
    with (repository / ".git/config").open("a") as file:
        file.write(f"[core]\n\tfsmonitor = {trap}\n")
    assert version.commit_of(repository)
    assert not (repository / "sprung").exists()


def test_suite_tells_it() -> None:
    said = CliRunner().invoke(cli, ["--version"])
    assert said.output == f"suite, version {version.told()}\n" and said.exit_code == 0


def test_a_campaign_that_is_anonymous_keeps_the_version_alone() -> None:
    record = campaign_record(Recipe(), np.random.default_rng(1)).model_copy(
        update={"made_by": "0.1.0 (commit 8dfc059ab012)"}
    )
    assert anonymous.of_record(record, {}).made_by == "0.1.0"
    assert "made_by" not in record.model_copy(update={"made_by": ""}).model_dump(mode="json")
