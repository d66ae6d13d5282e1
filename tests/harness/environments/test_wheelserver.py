"""The wheelhouse over HTTP: its plain files, to this machine alone, and nothing that lies elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from harness.environments.wheelserver import HOST, serve
from tests.harness.environments.tiny_image import WHEEL, make_wheel

pytestmark = pytest.mark.timeout(60)
Ask = Callable[..., HTTPResponse]


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A wheelhouse with a file, and with what must not be served."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "shadow").write_text("root's")
    house = tmp_path / "house"
    (house / "folder").mkdir(parents=True)
    (house / "folder" / "inner").write_text("inner")
    (house / "one.whl").write_bytes(b"wheel")
    (house / "link.whl").symlink_to(tmp_path / "secret" / "shadow")
    (house / "elsewhere").symlink_to(tmp_path / "secret")
    os.mkfifo(house / "fifo.whl")
    return house


@pytest.fixture
def ask(house: Path) -> Iterator[Ask]:
    with serve(house) as address:
        port = urlsplit(address).port

        def get(path: str, host: str | None = None, method: str = "GET") -> HTTPResponse:
            connection = HTTPConnection(HOST, port, timeout=10)
            connection.putrequest(method, path, skip_host=True)
            connection.putheader("Host", host or f"127.0.0.1:{port}")
            connection.endheaders()
            return connection.getresponse()

        yield get


def test_plain_files_are_listed_and_served(ask: Ask) -> None:
    listing = ask("/").read().decode()
    assert listing.count("<a ") == 1 and '<a href="one.whl">one.whl</a>' in listing
    assert ask("/one.whl").read() == b"wheel"
    head = ask("/one.whl", method="HEAD")
    assert (head.headers["Content-Length"], head.read()) == ("5", b"")


@pytest.mark.parametrize(
    "path",
    [
        "/link.whl", "/elsewhere/shadow", "/elsewhere/", "/elsewhere", "/fifo.whl", "/folder", "/folder/",
        "/folder/inner", "/../secret/shadow", "/%2e%2e/secret/shadow", "/..", "//etc/passwd", "/%2fetc%2fpasswd",
        "/a%00b", "/none.whl",
    ],
)  # fmt: skip
def test_nothing_else_is(ask: Ask, path: str) -> None:
    answer = ask(path)
    assert answer.status == 404 and b"root's" not in answer.read()


@pytest.mark.parametrize(
    "host", ["elsewhere.example", "127.0.0.1", "127.0.0.1:1", "localhost", "[::", "evil@127.0.0.1:x", ":"]
)
def test_another_name_than_its_own_address_is_refused(ask: Ask, host: str) -> None:
    assert ask("/one.whl", host=host).status == 403


def test_nothing_can_be_changed(ask: Ask) -> None:
    assert all(ask("/one.whl", method=one).status == 501 for one in ("POST", "PUT", "DELETE", "OPTIONS"))


def test_it_listens_to_this_machine_alone(house: Path) -> None:
    with serve(house) as address:
        assert urlsplit(address).hostname == "127.0.0.1"


def test_pip_finds_a_wheel_there(tmp_path: Path) -> None:
    house = tmp_path / "house"
    house.mkdir()
    make_wheel(house / WHEEL)
    with serve(house) as address:
        command = ["-m", "pip", "download", "--no-deps", "--no-index", "--find-links", address]
        name = WHEEL.partition("-")[0].replace("_", "-")
        done = subprocess.run(
            [sys.executable, *command, "--dest", str(tmp_path / "got"), name],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [path.name for path in (tmp_path / "got").iterdir()] == [WHEEL]
