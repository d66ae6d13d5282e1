"""A fake engine behind a real socket; the emulated GPUs of the meters' tests."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from tests.harness.meters.conftest import stub as stub

MakeEngine = Callable[..., None]


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    info: dict[str, Any]


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        info = self.server.info  # type: ignore[attr-defined]
        body = json.dumps(info if self.path.endswith("/info") else {"ApiVersion": "1.41"}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self) -> str:
        return "a socket"

    def log_message(self, *words: object) -> None: ...


@pytest.fixture
def fake_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeEngine]:
    """Gives an engine that says of itself what a test asks for."""
    servers = []

    def make(**info: Any) -> None:
        path = tmp_path / "docker.sock"
        server = _Server(str(path), _Handler)
        server.info = info
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("DOCKER_HOST", f"unix://{path}")

    yield make
    for server in servers:
        server.shutdown()
        server.server_close()
