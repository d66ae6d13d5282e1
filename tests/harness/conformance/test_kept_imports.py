"""What sources import is found once, and never told of another source, package or reader."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness import paths
from harness.conformance import kept_imports
from harness.conformance.code import _package
from harness.conformance.imports import imported
from harness.conformance.kept_imports import KeptImports

SOURCE, PACKAGE = b"from . import spec\nimport suite.task\n", ("suite", "llm")
NAMES = {"suite.llm.spec", "suite.task"}


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """The file of one that was asked for a source."""
    one = KeptImports(path := tmp_path / "home" / "imports.json")
    assert one.of(SOURCE, PACKAGE) == NAMES
    one.keep()
    return path


def unread(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What is read from now on."""
    read: list[bytes] = []
    monkeypatch.setattr(
        "harness.conformance.imports.imported", lambda source, package: read.append(source) or imported(source, package)
    )  # fmt: skip
    return read


def test_a_known_source_is_not_read_again(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = unread(monkeypatch)
    assert KeptImports(kept).of(SOURCE, PACKAGE) == NAMES
    assert read == []


def test_a_source_that_has_changed_is_read_anew(kept: Path) -> None:
    changed = SOURCE + b"import suite.work\n"
    assert KeptImports(kept).of(changed, PACKAGE) == {*NAMES, "suite.work"}


def test_the_same_words_import_others_in_another_package(kept: Path) -> None:
    assert KeptImports(kept).of(SOURCE, ("suite", "ssd")) == {"suite.ssd.spec", "suite.task"}


def test_another_reader_reads_all_anew(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (other := tmp_path / "imports.py").write_text("# finds more")
    monkeypatch.setattr(kept_imports, "READER", other)
    read = unread(monkeypatch)
    KeptImports(kept).of(SOURCE, PACKAGE)
    assert read == [SOURCE]


@pytest.mark.parametrize("found", ["", "{", "[]", "[" * 100_000, '{"a": 1}', '{"a": [1]}', "\udcff", "null"])
def test_a_damaged_file_costs_time_alone(kept: Path, found: str) -> None:
    kept.write_bytes(found.encode(errors="surrogateescape"))
    one = KeptImports(kept)
    assert one.of(SOURCE, PACKAGE) == NAMES
    one.keep()
    assert list(json.loads(kept.read_text()).values()) == [sorted(NAMES)]


def test_a_disk_that_takes_nothing_costs_time_alone(tmp_path: Path) -> None:
    (in_the_way := tmp_path / "home").write_text("no folder")
    one = KeptImports(in_the_way / "imports.json")
    assert one.of(SOURCE, PACKAGE) == NAMES
    one.keep()
    assert in_the_way.read_text() == "no folder"


def test_what_is_kept_of_each_source_is_what_reading_tells(tmp_path: Path) -> None:
    one = KeptImports(tmp_path / "imports.json")
    sources = sorted(paths.SUITE.rglob("*.py"))
    told = {path: one.of(path.read_bytes(), _package(path)) for path in sources}
    one.keep()
    again = KeptImports(tmp_path / "imports.json")
    for path in sources:
        assert again.of(path.read_bytes(), _package(path)) == told[path]
        assert told[path] == imported(path.read_bytes(), _package(path))
