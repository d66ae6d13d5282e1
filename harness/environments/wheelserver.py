"""The wheelhouse over HTTP on the loopback, for the time of one image build."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """The build's own output says what pip fetched."""


class _Server(ThreadingHTTPServer):
    allow_reuse_address = True  # an ended build's connections would block the port for a minute
    daemon_threads = True


@contextmanager
def serve(folder: Path, preferred_port: int = 0) -> Iterator[str]:
    """Serves a folder while the block runs; yields its address.

    Any free port serves if the preferred one is taken.
    """
    server = _open(partial(_Quiet, directory=str(folder)), preferred_port)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://{HOST}:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()


def _open(handler: partial[_Quiet], preferred_port: int) -> _Server:
    try:
        return _Server((HOST, preferred_port), handler)
    except OSError:
        return _Server((HOST, 0), handler)
