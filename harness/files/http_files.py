"""Files over HTTP, to be looked at and never changed: one by one, streamed, and none that a link leads to."""

from __future__ import annotations

import os
import shutil
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_address
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from harness.errors import UnsafeFile
from harness.files.untrusted import open_beneath

PATIENCE_S = 60.0  # with a peer that says nothing


class Files(BaseHTTPRequestHandler):
    """GET and HEAD of what `answer` knows; anything else is refused."""

    timeout = PATIENCE_S

    def do_GET(self) -> None:
        if not self._expected_host():
            self.send_error(HTTPStatus.FORBIDDEN, "another host name than that of the loopback")
            return
        try:
            self.answer(unquote(urlsplit(self.path).path))
        except (UnsafeFile, FileNotFoundError, ValueError):
            self.send_error(HTTPStatus.NOT_FOUND)

    def do_HEAD(self) -> None:
        self.do_GET()

    def answer(self, path: str) -> None:
        """Nothing, where a server knows no better. Raises: FileNotFoundError for what is not served."""
        raise FileNotFoundError(path)

    def expects(self, name: str | None, port: int | None) -> bool:
        """Whether a request to the loopback may come under that name: its own address or localhost."""
        return name in (self.connection.getsockname()[0], "localhost")

    def send(self, content: bytes, kind: str) -> None:
        self._head(kind, len(content))
        if self.command == "GET":
            self.wfile.write(content)

    def send_file(self, folder: Path, name: str | PurePosixPath, kind: str) -> None:
        """Raises: as harness.files.untrusted.open_beneath."""
        with os.fdopen(open_beneath(folder, name), "rb") as file:
            self._head(kind, os.fstat(file.fileno()).st_size)
            if self.command == "GET":
                shutil.copyfileobj(file, self.wfile)

    def _head(self, kind: str, size: int) -> None:
        self.send_response(HTTPStatus.OK)
        for name, value in (("Content-Type", kind), ("Content-Length", str(size))):
            self.send_header(name, value)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()

    def _expected_host(self) -> bool:
        """A page elsewhere may give its own name this machine's loopback address; its name gives it away."""
        if not ip_address(self.connection.getsockname()[0]).is_loopback:
            return True
        try:
            asked = urlsplit(f"//{self.headers.get('Host', '')}")
            return self.expects(asked.hostname, asked.port)
        except ValueError:
            return False

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet: the terminal shows what the command says and nothing else."""
