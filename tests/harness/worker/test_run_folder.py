"""A run's folder: the worker's part is its pipes alone, and goes; what the harness keeps lies beside it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.worker.intake import OutputRefused
from harness.worker.run_folder import OUTPUT_FILE, RunFolder
from suite.protocol import REQUEST_FILE, Request, output

REQUEST = Request("r", "svm", "sklearn", "train", "digits", 1)


def tree(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_the_worker_gets_its_request_its_lease_and_a_pipe(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run", REQUEST) as run:
        assert tree(run.path) == {
            "request",
            "request/request.json",
            "request/lease",
            "worker",
            "worker/events",
        }
        assert run.path.stat().st_mode & 0o777 == 0o700
        assert all(path.is_fifo() for path in run.worker.iterdir())
    assert tree(run.path) == {REQUEST_FILE}, "the request stays with the run's files"


def test_another_user_s_worker_reaches_them_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        with RunFolder(tmp_path / "run", REQUEST, 9) as run:
            modes = {path.name: path.stat().st_mode & 0o777 for path in run.path.rglob("*")}
    finally:
        os.umask(before)
    folders, pipes = dict.fromkeys(("request", "worker"), 0o755), dict.fromkeys(("events", "output"), 0o622)
    assert modes == {**folders, **pipes, "lease": 0o444, "request.json": 0o644}


def test_what_a_worker_leaves_behind_is_taken_in_up_to_the_bound(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run", REQUEST, 10) as run:
        with output(run.worker) as stream:
            stream.write(b"12345")
        run.take_output()
        with output(run.worker) as stream:
            stream.write(b"67890")
        run.take_output()
        assert (run.path / OUTPUT_FILE).read_bytes() == b"1234567890"
        with output(run.worker) as stream:
            stream.write(b"!")
        with pytest.raises(OutputRefused, match="larger than the 10 bytes"):
            run.take_output()


def test_the_harness_writes_through_no_link_that_lies_where_the_output_goes(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    with RunFolder(tmp_path / "run", REQUEST, 10) as run:
        (run.path / OUTPUT_FILE).symlink_to(victim)
        with output(run.worker) as stream:
            stream.write(b"x")
        with pytest.raises(OutputRefused, match="was there before"):
            run.take_output()
    assert victim.read_text() == "untouched"


def test_what_a_worker_without_a_container_put_into_its_folder_goes_without_following_it(
    tmp_path: Path,
) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("untouched")
    with RunFolder(tmp_path / "run", REQUEST) as run:
        (run.worker / "link").symlink_to(kept)
        (run.worker / "closed").mkdir()
        (run.worker / "closed" / "file").write_text("x")
        (run.worker / "closed").chmod(0)
        place = run.worker
        for _ in range(1_200):  # deeper than a recursion goes
            place = place / "d"
            place.mkdir()
    assert tree(run.path) == {REQUEST_FILE}
    assert (kept / "file").read_text() == "untouched"
