"""What `suite status` and `--resume` say of a campaign that another version of the suite began."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.analysis.suite_versions import named
from harness.campaign import builds
from harness.cli import resuming, screen
from tests.campaigns import Recipe, build
from tests.harness.cli.conftest import Answer
from tests.suite_versions import MESSAGE, NEW, OLD, from_block, made


def test_the_state_of_a_campaign_says_it(tmp_path: Path, suite: Callable[..., Answer]) -> None:
    told = suite("status", made(tmp_path, from_block(5)).folder).out
    assert f"warning: suite-changed: {MESSAGE.format(5)} (read ratios" in told
    assert "findings: 1 warning" in told


def test_who_resumes_is_told_before_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(screen, "say", said.append)
    record = build(tmp_path / "c", Recipe(blocks=1)).record
    for machine, began, noted in (
        ({}, OLD, True), ({}, NEW, False), ({}, "", True), ({"anonymous": True}, "0.2.0", False),
        ({"anonymous": True}, "0.1.0", True),
    ):  # fmt: skip
        before = record.model_copy(update={"machine": machine, "made_by": began})
        resuming._tell_version(before, record.model_copy(update={"made_by": NEW}), is_first=False)
        assert ["began the campaign, this is 0.2.0" in line for line in said] == [True] * noted
        assert not noted or f"note: {named(began)} began" in said[0]
        said.clear()


def test_who_resumes_an_anonymous_campaign_with_another_commit_is_told_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its records number the builds: the report said it afterwards, and nobody before."""
    said: list[str] = []
    monkeypatch.setattr(screen, "say", said.append)
    monkeypatch.setenv("JOULEMARK_HOME", str(tmp_path / "home"))
    first, second = (f"0.1.0 (commit {digit * 12})" for digit in "ab")
    record = build(tmp_path / "c", Recipe(blocks=1, identity="ab" * 16)).record
    before = record.model_copy(update={"machine": {"anonymous": True}, "made_by": "0.1.0"})
    assert builds.numbered(before.identity, first, is_first=True) == "0.1.0"
    for made_by, noted in ((first, False), (second, True)):
        now = record.model_copy(update={"made_by": made_by})
        resuming._tell_version(before, now, is_first=False)
        assert ["began the campaign, this is 0.1.0, build 2 (" in line for line in said] == [True] * noted
