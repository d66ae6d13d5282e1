"""suite export of campaigns that were profiled within their environments: what is not there is one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.records import Profiler
from tests.campaigns import Recipe
from tests.harness.cli.conftest import Answer
from tests.profiled_within import build_within

pytestmark = pytest.mark.unhurried
WITHIN = {
    Profiler.CPROFILE: "calls.svg (by --tool cprofile)",
    Profiler.OPERATORS: "operators.csv (by --tool operators)",
}
FORMS = {
    "svg": "there is nothing to draw: no run of the campaign was measured",
    "latex": "there is no table of costs: no run of the campaign was measured",
    "folded": "no run of the campaign tells its functions: suite profile looks at them",
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("profiler", WITHIN)
def test_what_is_not_there_is_one_line_and_nothing_is_written(
    refused: Callable[..., str], tmp_path: Path, profiler: Profiler, form: str
) -> None:
    folder = build_within(tmp_path / "c", Recipe(blocks=1), profiler).folder
    said = refused("export", folder, "--format", form, "-o", tmp_path / "out")
    assert f"{FORMS[form]}; in each run's folder: " in said and said.endswith(f"{WITHIN[profiler]}\n")
    assert not (tmp_path / "out").exists()


def test_tables_of_runs_are_written(suite: Callable[..., Answer], tmp_path: Path) -> None:
    folder = build_within(tmp_path / "c", Recipe(blocks=1), Profiler.CPROFILE).folder
    assert suite("export", folder, "-o", tmp_path / "out").code == 0
    assert "cprofile" in (tmp_path / "out" / "runs.csv").read_text()
