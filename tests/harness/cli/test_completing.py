"""A shell completes workloads, frameworks with their versions, plans and campaigns, and waits for no library."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from harness.cli import COMMANDS, cli, completing
from harness.environments.frameworks import frameworks
from harness.inventory.catalog import workloads
from harness.planning import plan_files
from tests.harness.cli.test_help import completed

CONTEXT = click.Context(cli)
PARAMETER = click.Option(["--any"])


def values(kind, incomplete):
    return {one.value for one in kind(CONTEXT, PARAMETER, incomplete) if one.type == "plain"}


def test_workloads_frameworks_versions_and_plans_are_those_that_there_are():
    assert values(completing.workloads, "") == set(workloads())
    assert values(completing.frameworks, "") == set(frameworks())
    for name, one in frameworks().items():
        assert values(completing.frameworks, f"{name}@") == {f"{name}@{version}" for version in one.versions}
    assert values(completing.plans, "") == set(plan_files.names())


def test_what_is_no_framework_has_no_versions():
    assert values(completing.frameworks, "../torch@") == set()


@pytest.mark.parametrize(
    ("words", "fits"),
    [
        (("run", "-w", "mnist_"), {"mnist_cnn", "mnist_mlp"}),
        (("run", "-f", "tensorflow@2.2"), {"tensorflow@2.20.0", "tensorflow@2.21.0"}),
        (("compare", "results/a", "--reference", "skl"), {"sklearn"}),
        (("verify", "gn"), {"gnmt"}),
        (("run", "--profile", "sche"), {"schep25"}),
    ],
)
def test_a_shell_is_told_what_fits_without_loading_a_slow_library(words, fits):
    assert completed(*words) == (fits, set())


def test_campaigns_are_those_with_a_record_in_results_or_beside_what_is_typed(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    campaigns = ("one", "other", "none", "bad\x1bname", "a`id`", "my one")
    for name in (*(f"results/{one}" for one in campaigns), "elsewhere/three"):
        (tmp_path / name).mkdir(parents=True)
        if name != "results/none":
            (tmp_path / name / "campaign.json").touch()
    assert values(completing.campaigns, "") == {"results/one", "results/other"}
    assert values(completing.campaigns, "results/on") == {"results/one"}
    assert values(completing.campaigns, "elsewhere/") == {"elsewhere/three"}
    assert values(completing.campaigns, "nowhere/") == set()


def test_every_folder_of_a_campaign_is_completed():
    folders = {
        name: one
        for name in COMMANDS
        for one in getattr(cli.get_command(CONTEXT, name), "params", [])
        if isinstance(one, click.Argument) and one.human_readable_name in ("FOLDER", "FOLDER...", "OTHER")
    }
    assert {"status", "report", "compare", "gate", "statistics", "export", "merge"} <= set(folders)
    assert all(one._custom_shell_complete is completing.campaigns for one in folders.values())
