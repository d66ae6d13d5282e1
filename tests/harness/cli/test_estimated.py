"""The word stands wherever joules are shown that nobody measured: in every format of every command."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from pathlib import Path

import click
import pandas as pd
import pytest

from harness.cli import COMMANDS, cli, known_words
from tests.campaigns import Recipe, build
from tests.harness.cli.conftest import Answer

Suite = Callable[..., Answer]
# What has to be said besides the campaign, of each command that has formats.
WORDS = {
    "compare": (),
    "gate": ("--reference", "torch", "--max-increase", "5%"),
    "statistics": (),
    "export": ("-o", "{out}"),
    "calibrate": None,  # a campaign of its own: tests/harness/cli/test_calibrate.py
    "reproduce": None,  # published numbers, of which no joule was estimated here
}
PICTURES = {"svg", "pdf", "png"}  # tests/reports: each figure by itself
OF_PROFILES = {"folded", "speedscope"}  # of a profiled campaign: their files say it in their names' units
JOULES = re.compile(r"energy|joule|[0-9] [kMm]?J\b", re.IGNORECASE)
WORD = re.compile("estimated", re.IGNORECASE)


def formats(command: str) -> list[str]:
    context = click.Context(cli)
    found = cli.get_command(context, command)
    assert found is not None
    return [name for one in found.params if one.name == "form" for name in getattr(one.type, "choices", ())]


ASKED = [
    (command, form)
    for command, words in WORDS.items()
    if words is not None
    for form in formats(command)
    if form not in PICTURES | OF_PROFILES
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("c") / "campaign", Recipe(meter="estimate")).folder


def texts(answer: Answer, out: Path) -> dict[str, str]:
    """What was printed, and each file that was written, as text."""
    files = [path for path in out.rglob("*") if path.is_file()] if out.exists() else []
    return {
        "": answer.out.replace(str(out), ""),
        **{str(path.relative_to(out)): text_of(path) for path in files},
    }


def text_of(path: Path) -> str:
    if path.suffix == ".parquet":
        return pd.read_parquet(path).to_csv()
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes()).decode(errors="replace")
    return path.read_bytes().decode(errors="replace")


@pytest.mark.parametrize(("command", "form"), ASKED, ids="-".join)
def test_estimated_joules_say_so_in_every_format(
    suite: Suite, folder: Path, tmp_path: Path, command: str, form: str
) -> None:
    more = [one.format(out=tmp_path / "out") for one in WORDS[command] or ()]
    answer = suite(command, folder, *more, "--format", form)
    assert answer.code in (0, 1), answer.err
    told = texts(answer, tmp_path / "out")
    showing = {name: text for name, text in told.items() if JOULES.search(text)}
    assert showing
    assert [name for name, text in showing.items() if not WORD.search(text)] == []


def test_every_command_that_has_formats_is_asked() -> None:
    assert {name for name in COMMANDS if formats(name)} == set(WORDS)
    assert set(formats("export")) == set(known_words.EXPORTS)


def test_a_report_says_it_on_its_first_screen(suite: Suite, folder: Path, tmp_path: Path) -> None:
    assert suite("report", folder, "-o", tmp_path / "r.html").code == 0
    assert "ESTIMATED" in (tmp_path / "r.html").read_text()[: 1 << 20]


@pytest.mark.parametrize(
    "words", [("plan", "show", "-w", "mnist_mlp"), ("meters",), ("doctor",)], ids=" ".join
)
def test_what_is_to_come_says_it_too(
    suite: Suite, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("JOULEMARK_POWERCAP_ROOT", str(tmp_path))
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    assert WORD.search(suite(*words).out)
