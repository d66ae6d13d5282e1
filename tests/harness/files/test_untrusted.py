"""Files that somebody else may have written: only what is regular, beneath the folder and small enough is read."""

from __future__ import annotations

import os
import resource
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import UnsafeFile
from harness.files.untrusted import memory_within, parse_json, printable, read_beneath


def _secret(folder: Path) -> Path:
    secret = folder.parent / "secret"
    secret.mkdir(exist_ok=True)
    (secret / "f").write_text("secret")
    return secret


def link(folder: Path) -> None:
    (folder / "a").mkdir()
    (folder / "a" / "f").symlink_to(_secret(folder) / "f")


def link_on_the_way(folder: Path) -> None:
    (folder / "a").symlink_to(_secret(folder))


def fifo(folder: Path) -> None:
    (folder / "a").mkdir()
    os.mkfifo(folder / "a" / "f")


def directory(folder: Path) -> None:
    (folder / "a" / "f").mkdir(parents=True)


def listener(folder: Path) -> None:
    (folder / "a").mkdir()
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(folder / "a" / "f"))


def device(folder: Path) -> None:
    (folder / "a").mkdir()
    (folder / "a" / "f").symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [link, link_on_the_way, fifo, directory, listener, device])
def test_nothing_but_a_regular_file_is_read(tmp_path: Path, make: Callable[[Path], None]) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    make(folder)
    with pytest.raises(UnsafeFile) as told:
        read_beneath(folder, "a/f")
    assert "secret" not in str(told.value) and "\n" not in str(told.value)


@pytest.mark.parametrize("name", ["../secret/f", "/etc/passwd", "a/../../secret/f", "", "a\0b"])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "folder"
    (folder / "a").mkdir(parents=True)
    _secret(folder)
    with pytest.raises(UnsafeFile):
        read_beneath(folder, name)


def test_a_file_is_read_up_to_the_bound(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"12345")
    assert read_beneath(tmp_path, "f", 5) == b"12345"
    with pytest.raises(UnsafeFile, match="larger than the 4 bytes"):
        read_beneath(tmp_path, "f", 4)


def test_a_folder_that_is_itself_a_link_is_the_users_own_choice(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "f").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert read_beneath(tmp_path / "link", "f") == b"x"


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "NaN", "-Infinity", "[1e400]", "-1e999", '{"a": 1e', "9" * 5000]
)
def test_json_that_python_alone_accepts_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_json(text)


def test_memory_is_held_within_a_bound_and_is_free_again_afterwards() -> None:
    limits = resource.getrlimit(resource.RLIMIT_AS)
    with pytest.raises(MemoryError), memory_within(1 << 28):
        bytes(1 << 29)
    assert resource.getrlimit(resource.RLIMIT_AS) == limits and len(bytes(1 << 29)) == 1 << 29


@given(st.text())
def test_nothing_that_a_terminal_would_obey_is_printable(text: str) -> None:
    assert not set(printable(text)) & {chr(code) for code in (*range(32), *range(127, 160), 0x202E, 0x2066)}


def test_an_escape_sequence_is_shown_as_it_is_written() -> None:
    assert (
        printable("\x1b[31mred\x1b]0;title\x07\r\n\u202eevil") == r"\x1b[31mred\x1b]0;title\x07\r\n\u202eevil"
    )
    assert printable("Grüße, 東京 – ½ 🙂") == "Grüße, 東京 – ½ 🙂"
