"""The report over HTTP: the page and the samples, from this machine, and nothing else."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.store import Campaign
from reports.serving import LOOPBACK, server
from tests.campaigns import Recipe, build

PAGE = b"<!doctype html><title>page</title>"
Ask = Callable[..., HTTPResponse]


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return build(tmp_path_factory.mktemp("serving") / "c", Recipe(blocks=1))


@pytest.fixture
def ask(campaign: Campaign) -> Iterator[Ask]:
    with asking(campaign) as get:
        yield get


@contextmanager
def asking(campaign: Campaign) -> Iterator[Ask]:
    with server(PAGE, campaign.folder, LOOPBACK, 0) as one:
        thread = threading.Thread(target=one.serve_forever)
        thread.start()

        def get(path: str, host: str | None = None, method: str = "GET") -> HTTPResponse:
            connection = HTTPConnection(LOOPBACK, int(one.server_address[1]), timeout=10)
            connection.putrequest(method, path, skip_host=True)
            connection.putheader("Host", host or f"localhost:{one.server_address[1]}")
            connection.endheaders()
            return connection.getresponse()

        yield get
        one.shutdown()
        thread.join()


def test_it_listens_to_this_machine_alone_unless_asked(campaign: Campaign) -> None:
    with server(PAGE, campaign.folder, LOOPBACK, 0) as one:
        assert one.server_address[0] == "127.0.0.1"


def test_the_page_and_the_samples_are_there(ask: Ask, campaign: Campaign) -> None:
    answer = ask("/")
    assert (answer.status, answer.read()) == (200, PAGE)
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    run = campaign.runs[0]
    samples = ask(f"/runs/{run.record.planned.run_id}/samples.parquet")
    assert samples.read() == run.samples_path.read_bytes()


@pytest.mark.parametrize(
    "path",
    [
        "/campaign.json",
        "/runs/",
        "/runs/../campaign.json",
        "/%2e%2e/c/campaign.json",
        "//etc/passwd",
        "/.lock",
    ],
)
def test_nothing_else_is(ask: Ask, path: str) -> None:
    assert ask(path).status == 404


@pytest.mark.timeout(60)
def test_no_link_and_no_pipe_in_the_place_of_samples_is_served(tmp_path: Path) -> None:
    found = build(tmp_path / "c", Recipe(blocks=1))
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "samples.parquet").write_text("root's")
    linked, piped = (run.samples_path for run in found.runs[:2])
    linked.unlink()
    linked.symlink_to(tmp_path / "secret" / "samples.parquet")
    piped.unlink()
    os.mkfifo(piped)
    (found.folder / "runs" / "0009-more").symlink_to(tmp_path / "secret")
    with asking(found) as ask:
        for name in (linked.parent.name, piped.parent.name, "0009-more", "..", "%2e%2e", "a%00b"):
            answer = ask(f"/runs/{name}/samples.parquet")
            assert answer.status == 404 and b"root's" not in answer.read()


def test_a_host_that_is_none_is_refused(ask: Ask) -> None:
    assert {ask("/", host=host).status for host in ("[::", "a b", ":", "127.0.0.1:x")} == {403}


def test_nothing_can_be_changed(ask: Ask) -> None:
    assert all(ask("/", method=one).status == 501 for one in ("POST", "PUT", "DELETE"))


def test_a_page_elsewhere_that_borrows_the_address_is_refused(ask: Ask) -> None:
    assert ask("/", host="elsewhere.example").status == 403
    assert ask("/", host="127.0.0.1:8000").status == 200


def test_an_address_in_use_is_a_mistake_with_its_remedy(campaign: Campaign) -> None:
    with (
        server(PAGE, campaign.folder, LOOPBACK, 0) as one,
        pytest.raises(UsageError, match="in use; name another with --port"),
    ):
        server(PAGE, campaign.folder, LOOPBACK, int(one.server_address[1]))
