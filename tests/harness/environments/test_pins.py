"""Reading a lock: its markers are judged for the Python asked for, whichever Python asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.environments import pins

A, B, C = ("a" * 64, "b" * 64, "c" * 64)
LOCK = f"""\
Some_Package==1.0 ; python_full_version < '3.12' \\
    --hash=sha256:{A} \\
    --hash=sha256:{B}
    # via
    #   other==2.0
some-package==2.0 ; python_full_version >= '3.12' \\
    --hash=sha256:{C}
local==1.5+cpu \\
    --hash=sha256:{A}
    # via lock (pyproject.toml)
elsewhere==3.0 ; sys_platform == 'win32' \\
    --hash=sha256:{B}
"""


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    path = tmp_path / "1.0-cpu.lock"
    path.write_text(LOCK)
    return path


@pytest.mark.parametrize(("python", "version"), [("3.11", "1.0"), ("3.12", "2.0"), ("3.13", "2.0")])
def test_a_marker_picks_the_version_for_the_python_asked_for(lock: Path, python: str, version: str) -> None:
    assert pins.pinned(lock, python) == {"some-package": version, "local": "1.5+cpu"}


def test_every_hash_is_read_and_no_comment(lock: Path) -> None:
    read = [(pin.name, pin.hashes) for pin in pins.read(lock)]
    assert read == [("some-package", (A, B)), ("some-package", (C,)), ("local", (A,)), ("elsewhere", (B,))]


def test_pip_gets_a_lock_without_markers_that_pins_the_same(lock: Path, tmp_path: Path) -> None:
    stripped = tmp_path / "stripped.lock"
    stripped.write_text(pins.without_markers(lock, "3.12"))
    assert all(pin.requirement.marker is None for pin in pins.read(stripped))
    assert [(pin.name, pin.version, pin.hashes) for pin in pins.read(stripped)] == [
        ("some-package", "2.0", (C,)),
        ("local", "1.5+cpu", (A,)),
    ]


def test_a_minor_of_two_digits_is_newer_than_one_of_one() -> None:
    assert not pins.applies("a==1; python_version < '3.9'", "3.12")
