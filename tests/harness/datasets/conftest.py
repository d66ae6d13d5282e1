"""Real subsets beside the checkout, and a server of files on this machine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.conftest import SHARED

Serve = Callable[[Path], str]


@pytest.fixture
def real() -> Callable[[str], Path]:
    """Name of a folder under shared/data -> the folder; without it the test is skipped."""

    def find(name: str) -> Path:
        folder = SHARED / "data" / name
        if not folder.is_dir():
            pytest.skip(f"the real files of {name} are not beside the checkout")
        return folder

    return find


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Folder -> the address under which its files can be fetched."""
    services = []

    def start(folder: Path) -> str:
        service = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=folder))
        threading.Thread(target=service.serve_forever, daemon=True).start()
        services.append(service)
        return f"http://127.0.0.1:{service.server_port}"

    yield start
    for service in services:
        service.shutdown()
        service.server_close()
