"""The help says what there is, at once, by its purpose."""

from __future__ import annotations

import os
import subprocess
import sys

import click
import pytest

from harness import paths
from harness.analysis import cleaning, multiplicity, power, quantities, significance, verdict
from harness.calibration import noise
from harness.cli import COMMANDS, FILES, SECTIONS, cli, known_words
from harness.cli.exported import FORMS_WRITTEN
from harness.planning import planner
from harness.records import Profiler
from reports import serving

SLOW = (
    "numpy", "pandas", "scipy", "scipy.stats", "sklearn", "vl_convert", "docker", "pooch", "pydantic", "pyarrow",
    "rich", "yaml", "packaging", "filelock", "http.client",
)  # fmt: skip
MEASURED = (
    "run",
    "gate",
    "compare",
    "report",
    "export",
    "statistics",
    "power",
    "calibrate",
    "verify",
    "profile",
    "merge",
)
COMPLETING = {"_SUITE_COMPLETE": "bash_complete"}


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


@pytest.mark.parametrize(
    "words", [("--help",), ("-h",), ("--version",), *((name, "--help") for name in MEASURED)]
)
def test_what_there_is_is_said_without_loading_a_library(words):
    assert loaded(*words) == set()


def test_a_campaigns_state_is_told_without_statistics():
    assert not loaded("status", "-h") & {"scipy.stats", "sklearn", "vl_convert", "pandas"}


def test_a_plan_is_shown_without_statistics_and_without_an_engines_client():
    assert not loaded("plan", "show", "quick") & {
        "scipy.stats",
        "sklearn",
        "vl_convert",
        "pooch",
        "pandas",
        "docker",
        "pyarrow",
        "yaml",
        "packaging",
        "filelock",
        "http.client",
    }


@pytest.mark.parametrize(
    ("words", "known"),
    [
        (known_words.QUANTITIES, quantities.as_users_say()),
        (known_words.ERRORS, multiplicity.LEVELS),
        (known_words.TESTS, significance.PAIRED),
        (known_words.RULES, cleaning.RULES),
        (known_words.EXPORTS, FORMS_WRITTEN),
        (known_words.TOOLS, Profiler),
    ],
)
def test_the_words_that_the_help_knows_are_those_of_their_registry(words, known):
    assert list(words) == list(known)


def test_the_numbers_that_the_help_knows_are_those_of_their_owners():
    assert known_words.MARGIN == verdict.MARGIN
    assert known_words.POWER == power.POWER
    assert known_words.DEFAULT_SEED == planner.DEFAULT_SEED
    assert known_words.FEWEST_BLOCKS == noise.FEWEST_BLOCKS
    assert known_words.LOOPBACK == serving.LOOPBACK
    assert known_words.ERRORS[0] == multiplicity.SIMULTANEOUS


def completed(*words):
    """What a shell is told that fits the last of these words, and which slow libraries that took."""
    code = (
        "import sys, atexit; from harness.cli import main\n"
        f"atexit.register(lambda: print('\\n', *[name for name in {SLOW!r} if name in sys.modules]))\n"
        "main()"
    )
    environment = {**os.environ, **COMPLETING, "COMP_WORDS": " ".join(("suite", *words))}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=paths.ROOT,
        env=environment,
        check=True,
    )
    *lines, took = done.stdout.splitlines()
    return {line.partition(",")[2] for line in lines if "," in line}, set(took.split())


def test_a_shell_completes_commands_without_loading_a_library():
    assert completed("") == (set(COMMANDS), set())
    assert completed("st") == ({"status", "statistics"}, set())


def test_a_shell_completes_the_options_of_a_command_without_loading_a_library():
    found, took = completed("gate", "--max")
    assert (found, took) == ({"--max-increase"}, set())


@pytest.mark.parametrize("word", ["-h", "--help"])
def test_every_command_explains_itself(word, capsys):
    for name in COMMANDS:
        # Kept by a command that another test called by itself, without the group whose option it is.
        cli.get_command(click.Context(cli), name)._help_option = None
        cli.main([name, word], standalone_mode=False)
        assert capsys.readouterr().out.startswith("Usage:")
