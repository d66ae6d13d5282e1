"""suite host: a description for people and programs, and what changed since."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.campaigns import MACHINE, Recipe, build
from tests.harness.cli.conftest import Answer

Suite = Callable[..., Answer]


def test_the_machine_is_shown_to_people_and_to_programs(suite: Suite) -> None:
    described = json.loads(suite("host", "show", "--json").out)
    assert described["settings"]["aslr"] is not None
    shown = suite("host", "show").out
    assert f"cpu_model: {described['cpu_model']}" in shown
    assert f"hostname: {platform.node()}\n" in shown
    assert not {"hostname", "kernel_command_line"} & set(described)


def test_nothing_changes_by_itself_and_what_changes_is_named(suite: Suite, home: Path) -> None:
    assert suite("host", "snapshot").code == 0
    assert suite("host", "diff").out == "nothing changed\n"
    snapshot = home / "host.json"
    described = json.loads(snapshot.read_text())
    described["settings"]["governors"] = "from another time"
    snapshot.write_text(json.dumps(described))
    answer = suite("host", "diff")
    assert answer.code == 1
    assert answer.out.startswith("settings.governors: from another time -> ")


def test_campaigns_are_compared_with_each_other(suite: Suite, tmp_path: Path) -> None:
    old = build(tmp_path / "old").folder
    new = build(tmp_path / "new", Recipe(machine={**MACHINE, "kernel": "6.9.0"})).folder
    assert suite("host", "diff", old, new).out == "kernel: 6.8.0 -> 6.9.0\n"


@pytest.mark.parametrize("content", [None, "nonsense", "{}"])
def test_what_is_no_snapshot_is_refused(
    refused: Callable[..., str], home: Path, tmp_path: Path, content: str | None
) -> None:
    path = tmp_path / "snapshot.json"
    if content is not None:
        path.write_text(content)
    assert "suite host snapshot writes one" in refused("host", "diff", path)
