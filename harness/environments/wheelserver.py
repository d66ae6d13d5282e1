"""The wheelhouse over HTTP on the loopback, for the time of one image build."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from html import escape
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote

from harness.files.http_files import Files

HOST = "127.0.0.1"


class Wheels(Files):
    """The plain files of one folder, and the page of links to them that pip asks for."""

    def __init__(self, *arguments: Any, folder: Path) -> None:
        self.folder = folder
        super().__init__(*arguments)

    def answer(self, path: str) -> None:
        if path == "/":
            self.send(self._links(), "text/html; charset=utf-8")
        elif "/" in path[1:]:
            raise FileNotFoundError(path)
        else:
            self.send_file(self.folder, path[1:], "application/octet-stream")

    def expects(self, name: str | None, port: int | None) -> bool:
        return super().expects(name, port) and port == self.connection.getsockname()[1]

    def _links(self) -> bytes:
        with os.scandir(self.folder) as entries:
            names = sorted(os.fsencode(one.name) for one in entries if one.is_file(follow_symlinks=False))
        links = (f'<a href="{quote(name)}">{escape(os.fsdecode(name))}</a><br>\n' for name in names)
        return f"<!doctype html>\n{''.join(links)}".encode("utf-8", "replace")


class _Server(ThreadingHTTPServer):
    allow_reuse_address = True  # an ended build's connections would block the port for a minute
    daemon_threads = True


@contextmanager
def serve(folder: Path, preferred_port: int = 0) -> Iterator[str]:
    """Serves a folder while the block runs; yields its address.

    Any free port serves if the preferred one is taken.
    """
    server = _open(partial(Wheels, folder=folder), preferred_port)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://{HOST}:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()


def _open(handler: partial[Wheels], preferred_port: int) -> _Server:
    try:
        return _Server((HOST, preferred_port), handler)
    except OSError:
        return _Server((HOST, 0), handler)
