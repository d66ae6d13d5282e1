"""What may lie in an image, without an image: which places are whose, and what a script may say."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from harness.environments import wheel_files
from harness.environments.contents import FILE, Entry
from harness.environments.frameworks import frameworks
from harness.environments.holdings import Holdings
from harness.environments.pins import Pin
from harness.environments.places import source_of
from harness.environments.wheel_files import SITE
from tests.harness.environments.test_images import recipe_of

TOOL = "/opt/venv/bin/tool"
INFO = f"{SITE}/tool-1.0.dist-info"


@pytest.mark.parametrize(
    ("pyc", "source"),
    [
        ("/a/__pycache__/b.cpython-311.pyc", "/a/b.py"),
        ("/a/__pycache__/b.c.cpython-311.pyc", "/a/b.c.py"),
        ("/a/__pycache__/b.cpython-312.pyc", ""),
        ("/a/b.cpython-311.pyc", ""),
        ("/a/b.pyc", ""),
    ],
)
def test_bytecode_belongs_to_the_source_beside_its_cache_or_to_none(pyc: str, source: str) -> None:
    assert source_of(pyc) == source


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A wheel with an entry point, and where pip itself has put it."""
    house = tmp_path_factory.mktemp("house")
    path, info = house / "tool-1.0-py3-none-any.whl", "tool-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tool.py", "def main(): ...\n")
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tool\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/entry_points.txt", "[console_scripts]\ntool = tool:main\n")
        archive.writestr(f"{info}/RECORD", "tool.py,,\n")
    place = house / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "-q", "--target", str(place)]
    subprocess.run([*pip, "--find-links", str(house), "tool"], check=True)
    return path, place


def holdings(installed: tuple[Path, Path], **changed: bytes) -> Holdings:
    wheel, place = installed
    pin = Pin(Requirement("tool==1.0"), (hashlib.sha256(wheel.read_bytes()).hexdigest(),))
    found = wheel_files.find(wheel.parent, pin)
    assert found is not None
    files = {
        f"{SITE}/{path.relative_to(place)}": path.read_bytes() for path in place.rglob("*") if path.is_file()
    }
    script = files.pop(f"{SITE}/bin/tool")
    files[TOOL] = script.replace(sys.executable.encode(), b"/opt/venv/bin/python")
    files |= {f"{SITE}/{name}.py": content for name, content in changed.items() if name != "script"}
    files[TOOL] += changed.get("script", b"")
    entries = {
        name: Entry(name, FILE, hashlib.sha256(content).hexdigest(), content=content)
        for name, content in files.items()
    }
    return Holdings(entries, recipe_of(frameworks()["sklearn"]), {"tool": found}, None)


def of_the_venv(places: Any) -> list[str]:
    return [place for place in places if place.startswith("/opt/venv")]


def test_what_pip_installs_is_as_it_should_be(installed: tuple[Path, Path]) -> None:
    found = holdings(installed)
    assert of_the_venv(found.altered()) == []
    assert of_the_venv(found.lacking()) == []
    assert list(found.unlisted()) == []
    assert list(found.forged_records()) == []


@pytest.mark.parametrize(
    "line",
    [b"import os\n", b"    sys.argv[0] = evil() or re.sub('', '', '')\n", b"    sys.exit(main(evil()))\n"],
)
def test_a_script_that_does_more_than_it_must_shows(installed: tuple[Path, Path], line: bytes) -> None:
    assert of_the_venv(holdings(installed, script=line).altered()) == [TOOL]


def test_a_file_without_a_hash_in_its_record_is_held_against_the_wheel(
    installed: tuple[Path, Path],
) -> None:
    altered = holdings(installed, tool=b"def main(): stolen\n")
    assert of_the_venv(altered.altered()) == [f"{SITE}/tool.py"]


def test_a_stranger_among_the_packages_shows(installed: tuple[Path, Path]) -> None:
    assert list(holdings(installed, sitecustomize=b"").unlisted()) == [f"{SITE}/sitecustomize.py"]
