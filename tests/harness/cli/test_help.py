"""The help says what there is, at once, by its purpose."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest

from harness import paths
from harness.cli import COMMANDS, FILES, SECTIONS, cli

SLOW = ("numpy", "pandas", "scipy.stats", "sklearn", "altair", "docker", "pooch")


def loaded(*words: str) -> set[str]:
    """Which of the slow libraries a command has imported by its end."""
    code = (
        "import sys; from harness.cli import cli\n"
        f"try: cli.main({list(words)!r}, standalone_mode=False)\n"
        "except SystemExit: pass\n"
        f"print('\\n', *[name for name in {SLOW!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=paths.ROOT, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


def test_every_command_is_in_one_section():
    assert len(COMMANDS) == len(set(COMMANDS)) == sum(map(len, SECTIONS.values()))
    for name in COMMANDS:
        assert (paths.ROOT / "harness/cli" / f"{FILES.get(name, name)}.py").exists()


@pytest.mark.parametrize("words", [("--help",), ("-h",), ("--version",)])
def test_what_there_is_is_said_without_loading_a_library(words):
    assert loaded(*words) == set()


def test_no_help_waits_for_statistics():
    assert not loaded("gate", "--help") & {"scipy.stats", "sklearn", "altair"}
    assert not loaded("status", "-h") & {"scipy.stats", "sklearn", "altair", "pandas"}


def test_a_plan_is_shown_without_statistics():
    assert not loaded("plan", "show", "quick") & {"scipy.stats", "sklearn", "altair", "pooch", "pandas"}


@pytest.mark.parametrize("word", ["-h", "--help"])
def test_every_command_explains_itself(word, capsys):
    for name in COMMANDS:
        # Kept by a command that another test called by itself, without the group whose option it is.
        cli.get_command(click.Context(cli), name)._help_option = None
        cli.main([name, word], standalone_mode=False)
        assert capsys.readouterr().out.startswith("Usage:")
