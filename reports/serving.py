"""A report for a look from another machine: the page and the samples that it links to, read only."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from harness.errors import UsageError
from harness.store import RUNS, SAMPLES_FILE

LOOPBACK = "127.0.0.1"


def server(page: bytes, campaign: Path, host: str, port: int) -> ThreadingHTTPServer:
    """Bound and not yet serving. Raises: UsageError if the address cannot be had."""
    try:
        return ThreadingHTTPServer((host, port), partial(Pages, page=page, campaign=campaign))
    except OSError as error:
        raise UsageError(
            f"cannot serve at {host}:{port}: {error.strerror}; name another with --port or --host"
        ) from None


class Pages(BaseHTTPRequestHandler):
    """Answers for the page and for runs/*/samples.parquet; nothing else of the campaign is shown."""

    def __init__(self, *arguments: Any, page: bytes, campaign: Path) -> None:
        self.page, self.campaign = page, campaign
        super().__init__(*arguments)

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        if not self._expected_host():
            self.send_error(HTTPStatus.FORBIDDEN, "another host name than that of the loopback")
        elif path == "/":
            self._answer(self.page, "text/html; charset=utf-8")
        elif samples := self._samples(path):
            self._answer(samples.read_bytes(), "application/vnd.apache.parquet")
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def _expected_host(self) -> bool:
        """A page elsewhere may give its own name this machine's loopback address; its name gives it away."""
        bound = self.connection.getsockname()[0]
        name = urlsplit(f"//{self.headers.get('Host', '')}").hostname
        return not ip_address(bound).is_loopback or name in (bound, "localhost")

    def _samples(self, path: str) -> Path | None:
        """Only names that a listing of the runs knows, so that no path leads elsewhere."""
        known = {f"/{RUNS}/{run.name}/{SAMPLES_FILE}": run for run in (self.campaign / RUNS).iterdir()}
        file = known[path] / SAMPLES_FILE if path in known else None
        return file if file and file.is_file() else None

    def _answer(self, content: bytes, kind: str) -> None:
        self.send_response(HTTPStatus.OK)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(content)))):
            self.send_header(name, value)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Quiet: the terminal shows the address and nothing else."""
