"""The help of each command ends with lines that can be copied, and a person is told what comes next."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import pytest

from harness.cli import COMMANDS, cli, examples, next_step
from tests.harness.cli.test_documented import taken

LINES = sorted(
    {line for lines in examples.EXAMPLES.values() for line, _ in lines} | {*examples.NEXT.values()}
)


def test_every_command_has_examples_and_no_other() -> None:
    assert set(examples.EXAMPLES) == set(COMMANDS) and set(examples.NEXT) <= set(COMMANDS)


@pytest.mark.parametrize("line", LINES)
def test_the_command_line_takes_each(line: str) -> None:
    taken(line)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_shows_them_as_they_are(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    shown = command.get_help(click.Context(command, info_name=f"suite {name}"))
    assert all(f"  {line}  " in shown for line, _ in examples.EXAMPLES[name])


@pytest.fixture
def campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("results/a b", "results/old"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "campaign.json").write_text("{}")
    return Path("results/a b")


def test_what_comes_next_names_the_campaign(campaign: Path) -> None:
    assert next_step.after(["report", str(campaign)]) == "suite export 'results/a b'"
    assert next_step.after(["merge", "x", "-o", str(campaign)]) == "suite report 'results/a b'"
    assert next_step.after(["merge", "x", f"--output={campaign}"]) == "suite report 'results/a b'"
    assert next_step.after(["report", "no\0campaign"]) == "suite export results/..."


def test_after_a_run_it_is_the_latest_campaign(campaign: Path) -> None:
    later = campaign / "campaign.json"
    later.touch()
    assert next_step.after(["run", "--all"]) == "suite compare 'results/a b'"


@pytest.mark.parametrize(
    "words", [["run", "--help"], ["run", "--all", "--dry-run"], ["compare", "a", "--format", "json"], ["gate", "a"], []]
)  # fmt: skip
def test_nothing_follows_a_help_or_what_a_program_reads(words: list[str]) -> None:
    assert next_step.after(words) == ""


@pytest.mark.parametrize("terminal", [True, False])
def test_only_a_person_at_a_terminal_is_told(
    terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for stream in (sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: terminal)
    next_step.tell(["doctor"])
    assert capsys.readouterr().err == ("next: suite run --all --profile quick\n" if terminal else "")
