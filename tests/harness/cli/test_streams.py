"""The program says what it has to say, however its own streams were given to it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness import paths
from harness.cli import streams
from tests.campaigns import Recipe, build

NO_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def test_a_table_is_told_where_no_locale_is_set(tmp_path: Path) -> None:
    folder = build(tmp_path / "c", Recipe(blocks=2)).folder
    done = subprocess.run(
        [sys.executable, "-m", "harness.cli", "compare", folder],
        env={**os.environ, **NO_LOCALE}, capture_output=True, cwd=paths.ROOT, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert "J·s" in done.stdout.decode()


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_change_no_exit_code_and_show_no_traceback(tmp_path: Path, closed: str) -> None:
    here = f"{sys.executable} -m harness.cli"
    for words, code in (("--version", 0), ("status nowhere", 2)):
        done = subprocess.run(
            ["sh", "-c", f"{here} {words} {closed}"],
            capture_output=True,
            text=True,
            cwd=paths.ROOT,
            check=False,
        )
        assert done.returncode == code and "Traceback" not in done.stdout + done.stderr


def test_what_an_encoding_lacks_is_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, "iso-8859-7"))
    streams.make_usable()
    print("5 J·s, 3 m²: 日")
    sys.stdout.flush()
    assert written.getvalue().decode("iso-8859-7") == "5 J·s, 3 m²: \\u65e5\n"
