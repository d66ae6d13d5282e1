"""A campaign of somebody else may hold any text: no command lets a terminal, rich or a spreadsheet obey it."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.table import Table
from rich.text import Text

from harness.cli import screen
from harness.records import Finding, Outcome
from tests.campaigns import MACHINE, Recipe, build

EVIL = "=evil\x1b[31m\x07\x9b2J\u202e\r[bold]x[/bold]\nfake: line"
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
FINDING = Finding(code=f"code{EVIL}", severity="warning", message=EVIL, advice=EVIL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    recipe = Recipe(
        frameworks={f"one{EVIL}": 1.0, f"two{EVIL}": 1.3}, workload=EVIL, dataset=EVIL, settings=({EVIL: EVIL},),
        outcomes={(f"one{EVIL}", 1): Outcome.FAILED}, reason=EVIL, findings=(FINDING,), run_findings=(FINDING,),
        machine={**MACHINE, "hostname": EVIL, "settings": {EVIL: EVIL}}, unfinished=1,
    )  # fmt: skip
    return build(tmp_path_factory.mktemp("strangers") / "c", recipe).folder


def commands(folder: Path, out: Path) -> dict[str, list[object]]:
    return {
        "status": ["status", folder],
        "report": ["report", folder, "-o", out / "page.html"],
        "compare": ["compare", folder],
        "compare as csv": ["compare", folder, "--format", "csv"],
        "compare as json": ["compare", folder, "--format", "json"],
        "compare with a name that fits nothing": ["compare", folder, "--reference", EVIL],
        "gate": ["gate", folder, "--reference", f"one{EVIL}", "--max-increase", "5%"],
        "export": ["export", folder, "-o", out],
        "host diff": ["host", "diff", folder],
        "a folder's own name": ["status", out / EVIL],
        "a plan's own name": ["plan", "show", f"{EVIL}.toml"],
        "resume": ["run", "--resume", folder],
    }


@pytest.mark.parametrize("name", commands(Path(), Path()))
def test_no_command_shows_what_a_terminal_obeys(
    suite: Callable[..., object], folder: Path, tmp_path: Path, name: str
) -> None:
    answer = suite(*commands(folder, tmp_path)[name])
    shown = answer.out + answer.err  # type: ignore[attr-defined]
    assert shown and not OBEYED.search(shown), OBEYED.search(shown)
    assert not any(line.startswith("fake: line") for line in shown.splitlines()) or "csv" in name
    assert "\x1b" not in shown and ("evil" not in shown or "[bold]x[/bold]" in shown or "json" in name)


def test_what_forgot_to_be_plain_is_made_so_on_the_way_to_the_screen(
    capsys: pytest.CaptureFixture[str],
) -> None:
    table = Table("column")
    table.add_row("a\x1bb")
    screen.console.print(table)
    screen.console.print(Text("c\x1bd\ne"))
    shown = capsys.readouterr().out
    assert "\x1b" not in shown and "c\\x1bd\ne\n" in shown


def test_markup_is_shown_as_it_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    screen.print_columns({"[red]a[/]": ["[link=x]b[/link]", "c"]})
    shown = capsys.readouterr().out
    assert "[red]a[/]" in shown and "[link=x]b[/link]" in shown


def test_no_formula_of_a_stranger_reaches_a_spreadsheet(
    suite: Callable[..., object], folder: Path, tmp_path: Path
) -> None:
    suite("export", folder, "-o", tmp_path)
    for name in ("runs.csv", "costs.csv"):
        with (tmp_path / name).open(newline="") as file:
            cells = {cell for row in csv.reader(file) for cell in row}
        assert any(cell.startswith("'=evil") for cell in cells)
        assert not any(cell.startswith("=") for cell in cells)
