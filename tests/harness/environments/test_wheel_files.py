"""What a wheel says of an installation: where its files lie, which scripts it brings, and what its files are."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

from packaging.requirements import Requirement

from harness.environments import wheel_files
from harness.environments.pins import Pin

SITE = "/opt/venv/lib/python3.11/site-packages"


def wheel(folder: Path) -> wheel_files.Wheel:
    path = folder / "some_tool-1.0-py3-none-any.whl"
    info, data = "some_tool-1.0.dist-info", "some_tool-1.0.data"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tool/_vendor/other-2.dist-info/RECORD", "")
        archive.writestr("tool/__init__.py", "x = 1\n")
        archive.writestr(f"{data}/purelib/pure.py", "")
        archive.writestr(f"{data}/scripts/run-it", "#!python\nprint()\n")
        archive.writestr(f"{data}/data/share/man.txt", "")
        archive.writestr(f"{data}/headers/tool.h", "")
        archive.writestr(
            f"{info}/entry_points.txt", "[console_scripts]\nTool = tool:main\n[other]\nno = tool:no\n"
        )
        archive.writestr(f"{info}/RECORD", "tool/__init__.py,sha256=d3Jvbmc,6\n")
    pin = Pin(Requirement("some-tool==1.0"), (hashlib.sha256(path.read_bytes()).hexdigest(),))
    found = wheel_files.find(folder, pin)
    assert found is not None
    return found


def test_files_lie_where_pip_puts_them(tmp_path: Path) -> None:
    assert set(wheel(tmp_path).files) == {
        f"{SITE}/tool/_vendor/other-2.dist-info/RECORD",  # of a wheel that it carries, as setuptools does
        f"{SITE}/tool/__init__.py",
        f"{SITE}/pure.py",
        "/opt/venv/bin/run-it",
        "/opt/venv/share/man.txt",
        "/opt/venv/include/site/python3.11/some-tool/tool.h",
        f"{SITE}/some_tool-1.0.dist-info/entry_points.txt",
    }


def test_entry_points_are_scripts(tmp_path: Path) -> None:
    assert wheel(tmp_path).scripts == {"/opt/venv/bin/run-it", "/opt/venv/bin/Tool"}


def test_what_the_record_says_wrongly_the_archive_decides(tmp_path: Path) -> None:
    one = wheel(tmp_path)
    assert one.holds(f"{SITE}/tool/__init__.py", hashlib.sha256(b"x = 1\n").hexdigest())
    assert not one.holds(f"{SITE}/tool/__init__.py", hashlib.sha256(b"x = 2\n").hexdigest())


def test_a_wheel_of_another_hash_is_none(tmp_path: Path) -> None:
    wheel(tmp_path)
    assert wheel_files.find(tmp_path, Pin(Requirement("some-tool==1.0"), ("0" * 64,))) is None
