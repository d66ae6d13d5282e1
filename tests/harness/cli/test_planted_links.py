"""Nothing that a stranger planted in a campaign makes a command write, or show, what lies outside of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness import store
from harness.campaign import lock
from harness.conformance import certificate, kept_proofs
from harness.errors import MissingPrerequisite, UnsafeFile
from harness.files import whole_files
from harness.records import StopRecord
from tests.campaigns import Recipe, build


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "file").write_text("untouched")
    return build(tmp_path / "c", Recipe(blocks=1, proven=False)).folder


def untouched(folder: Path) -> bool:
    theirs = folder.parent / "theirs"
    return [path.name for path in theirs.iterdir()] == ["file"] and (
        theirs / "file"
    ).read_text() == "untouched"


@pytest.mark.parametrize("name", ["report.html", ".report.html.partial"])
def test_a_report_is_not_written_through_a_link(
    suite: Callable[..., object], folder: Path, name: str
) -> None:
    (folder / name).symlink_to(folder.parent / "theirs" / "file")
    assert suite("report", folder).code == 0  # type: ignore[attr-defined]
    assert (folder / "report.html").read_text().startswith("<!doctype") and untouched(folder)


@pytest.mark.parametrize(
    ("form", "name"),
    [("csv", "runs.csv"), ("csv", ".runs.csv.partial"), ("json", "tables.json"), ("latex", "costs.tex")],
)
def test_a_table_is_not_written_through_a_link(
    suite: Callable[..., object], folder: Path, form: str, name: str
) -> None:
    (folder / name).symlink_to(folder.parent / "theirs" / "file")
    assert suite("export", folder, "--format", form).code == 0  # type: ignore[attr-defined]
    assert untouched(folder)


def test_figures_are_not_written_into_a_folder_elsewhere(refused: Callable[..., str], folder: Path) -> None:
    (folder / "figures").symlink_to(folder.parent / "theirs")
    assert "is not written to: it is a link" in refused("export", folder, "--format", "svg")
    assert untouched(folder)


def test_a_folder_in_the_place_of_a_file_is_one_line(refused: Callable[..., str], folder: Path) -> None:
    (folder / "report.html").mkdir()
    (folder / "runs.csv").mkdir()
    assert "cannot write" in refused("report", folder)
    assert "cannot write" in refused("export", folder)


def test_no_bundle_holds_what_a_link_leads_to(refused: Callable[..., str], folder: Path) -> None:
    run = next((folder / "runs").iterdir())
    (run / "console.log").unlink()
    (run / "console.log").symlink_to(folder.parent / "theirs" / "file")
    assert "is not read" in refused("export", folder, "--format", "bundle")
    assert not list(folder.parent.glob("*.gz"))


def test_a_lock_that_is_a_link_is_refused_and_nothing_behind_it_is_touched(folder: Path) -> None:
    (folder / lock.LOCK_FILE).unlink(missing_ok=True)
    (folder / lock.LOCK_FILE).symlink_to(folder.parent / "theirs" / "file")
    with pytest.raises(MissingPrerequisite, match="cannot be opened"), lock.hold(folder):
        pass
    assert not lock.is_held(folder) and untouched(folder)


@pytest.mark.parametrize("name", [store.STOP_FILE, kept_proofs.CERTIFICATE_FILE])
def test_a_record_takes_the_place_of_a_link(folder: Path, name: str) -> None:
    (folder / name).symlink_to(folder.parent / "theirs" / "file")
    if name == store.STOP_FILE:
        store.write_record(folder / name, StopRecord(blocks=1, ratios=()))
    else:
        whole_files.write_text(folder / name, certificate.dumps(()))
    assert not (folder / name).is_symlink() and untouched(folder)


@pytest.mark.parametrize("name", [store.STOP_FILE, kept_proofs.CERTIFICATE_FILE])
def test_no_record_is_read_through_a_link(folder: Path, name: str) -> None:
    (folder / name).symlink_to(folder.parent / "theirs" / "file")
    with pytest.raises(UnsafeFile):
        _ = store.stopped(folder) if name == store.STOP_FILE else kept_proofs.of_campaign(folder)
