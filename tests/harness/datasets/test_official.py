"""Downloads from a real local server: checksums, resume, and one clear line when they fail."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from harness.datasets import official
from harness.datasets.base import Array, OfficialFile
from harness.errors import DataError, MissingPrerequisite

CONTENT = bytes(range(256)) * 4000


@dataclass
class Tiny:
    """A data set of one file."""

    name: str = "tiny"
    title: str = "a file of the test's"
    files: tuple[OfficialFile, ...] = (
        OfficialFile("tiny.bin", "http://127.0.0.1:9/", hashlib.sha256(CONTENT).hexdigest(), len(CONTENT)),
    )

    def arrays(self, folder: Path) -> dict[str, Array]:
        return {}


@dataclass
class Server:
    """Serves CONTENT with range requests; `break_after` bytes it drops the connection, once."""

    content: bytes = CONTENT
    break_after: int | None = None
    ranges: list[str | None] = field(default_factory=list)
    url: str = ""


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range")
            state.ranges.append(wanted)
            start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
            body = state.content[start:]
            self.send_response(206 if wanted else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            cut, state.break_after = state.break_after, None
            self.wfile.write(body[:cut])

        def log_message(self, *_: object) -> None:
            pass

    service = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    state.url = f"http://127.0.0.1:{service.server_port}"
    yield state
    service.shutdown()
    service.server_close()


def test_a_file_is_fetched_once(home: Path, server: Server) -> None:
    for _ in range(2):
        assert (official.download(Tiny(), server.url) / "tiny.bin").read_bytes() == CONTENT
    assert server.ranges == [None]


def test_a_broken_download_is_resumed_where_it_stopped(home: Path, server: Server) -> None:
    server.break_after = 300_000
    with pytest.raises(MissingPrerequisite, match="run the command again to resume"):
        official.download(Tiny(), server.url)
    assert (official.download(Tiny(), server.url) / "tiny.bin").read_bytes() == CONTENT
    first, second = server.ranges
    assert first is None
    assert second is not None
    assert 300_000 - official.CHUNK_BYTES < int(second.removeprefix("bytes=").rstrip("-")) <= 300_000


def test_another_file_than_the_official_one_is_refused_and_not_kept(home: Path, server: Server) -> None:
    server.content = CONTENT[:-1] + b"!"
    with pytest.raises(DataError, match=r"is not the official tiny\.bin"):
        official.download(Tiny(), server.url)
    server.content = CONTENT
    assert (official.download(Tiny(), server.url) / "tiny.bin").read_bytes() == CONTENT


def test_no_server_is_one_line_with_the_way_out(home: Path) -> None:
    with pytest.raises(MissingPrerequisite, match="suite data import tiny DIR"):
        official.download(Tiny())
