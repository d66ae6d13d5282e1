"""The charts' script is put together once for a machine, and anew where what was kept is not whole."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from reports import chart_library

SCRIPT = "window.vegaEmbed = 'é';\nlast line"


class Maker:
    """In the place of what puts the script together; counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def javascript_bundle(self, _: str, vl_version: str) -> str:
        self.asked += 1
        return SCRIPT


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("JOULEMARK_HOME", str(tmp_path / "home"))
    yield tmp_path / "home"
    chart_library.bundle.cache_clear()


@pytest.fixture
def maker(monkeypatch: pytest.MonkeyPatch) -> Maker:
    made = Maker()
    monkeypatch.setattr(chart_library, "vl_convert", made)
    return made


def another_process() -> str:
    chart_library.bundle.cache_clear()
    return chart_library.bundle()


def test_the_next_report_reads_what_was_kept(
    home: Path, maker: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [another_process(), another_process()] == [SCRIPT, SCRIPT]
    assert maker.asked == 1
    monkeypatch.setattr(chart_library, "version", lambda _: "9.10")
    assert another_process() == SCRIPT and maker.asked == 2  # of another version it may be another


@pytest.mark.parametrize("damaged", [b"", b"half", b"\xff\xfe", b"00\nalert()", b"x" * (9 << 20)])
def test_what_is_not_whole_is_made_anew(home: Path, maker: Maker, damaged: bytes) -> None:
    another_process()
    (kept,) = home.iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(damaged)
    assert another_process() == SCRIPT and maker.asked == 2
    assert kept.read_bytes() == whole


def test_a_link_is_not_followed(home: Path, maker: Maker, tmp_path: Path) -> None:
    another_process()
    (kept,) = home.iterdir()
    kept.rename(tmp_path / "elsewhere")
    kept.symlink_to(tmp_path / "elsewhere")
    assert another_process() == SCRIPT and maker.asked == 2


@pytest.mark.parametrize("mode", [0o666, 0o664])
def test_what_others_may_write_to_is_not_read(home: Path, maker: Maker, mode: int) -> None:
    """Their script would run in every report, whatever sum stands before it."""
    another_process()
    (kept,) = home.iterdir()
    kept.chmod(mode)
    assert another_process() == SCRIPT and maker.asked == 2
    assert stat.S_IMODE(kept.stat().st_mode) == 0o644


def test_what_another_user_wrote_is_not_read(
    home: Path, maker: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    another_process()
    monkeypatch.setattr(chart_library.os, "geteuid", lambda: os.getuid() + 1)
    (kept,) = home.iterdir()
    if os.getuid() == 0:
        os.chown(kept, 12345, -1)
    assert another_process() == SCRIPT and maker.asked == 2


def test_a_file_system_that_tells_every_file_with_every_right_costs_no_report(
    home: Path, maker: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "chmod", refuse)
    assert another_process() == SCRIPT


def test_a_home_that_cannot_be_written_costs_no_report(home: Path, maker: Maker) -> None:
    home.write_text("a file")
    assert [another_process(), another_process()] == [SCRIPT, SCRIPT]
    assert maker.asked == 2
