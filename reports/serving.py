"""A report for a look from another machine: the page and the samples that it links to, read only."""

from __future__ import annotations

from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path, PurePosixPath
from typing import Any

from harness.errors import UsageError
from harness.files.http_files import Files
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


class Pages(Files):
    """Answers for the page and for runs/*/samples.parquet; nothing else of the campaign is shown."""

    def __init__(self, *arguments: Any, page: bytes, campaign: Path) -> None:
        self.page, self.campaign = page, campaign
        super().__init__(*arguments)

    def answer(self, path: str) -> None:
        if path == "/":
            self.send(self.page, "text/html; charset=utf-8")
            return
        name = PurePosixPath(path[1:])
        if len(name.parts) != 3 or (name.parts[0], name.name) != (RUNS, SAMPLES_FILE):
            raise FileNotFoundError(path)
        self.send_file(self.campaign, name, "application/vnd.apache.parquet")
