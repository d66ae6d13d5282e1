"""Events are read once, checked, dated by the host and written into its own folder; floods and forgeries end it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from harness.worker import events
from harness.worker.events import BadEvent
from harness.worker.follow import EventTail
from suite.protocol import PIPE_BYTES, Event, EventWriter, Pipe


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Pipe]:
    (tmp_path / "worker").mkdir()
    with closing(Pipe(tmp_path / "worker" / "events")) as one:
        yield one


@pytest.fixture
def tail(pipe: Pipe, tmp_path: Path) -> Iterator[EventTail]:
    with closing(EventTail(pipe, tmp_path, lambda event: None)) as one:
        yield one


def write(pipe: Pipe, text: bytes) -> None:
    os.write(pipe.fileno(), text)


def test_each_event_is_told_dated_and_kept(pipe: Pipe, tmp_path: Path) -> None:
    heard: list[Event] = []
    with closing(EventTail(pipe, tmp_path, heard.append)) as tail:
        before_ns = time.monotonic_ns()
        writer = EventWriter(tmp_path / "worker")
        writer.send("ready", pid=1)
        tail.poll()
        writer.send("done")
        tail.poll()
        assert [event.kind for event in heard] == ["ready", "done"]
        assert before_ns < tail.told[0].event.t_ns < tail.told[0].seen_ns < tail.told[1].seen_ns
        assert (tail.find("done"), tail.find("failed")) == (heard[1], None)
        assert (tail.first("done"), tail.first("failed")) == (tail.told[1], None)
    assert events.stored(tmp_path) == heard


def test_an_event_carries_the_last_look_that_did_not_find_it(pipe: Pipe, tail: EventTail) -> None:
    before_ns = time.monotonic_ns()
    tail.poll()
    write(pipe, b'{"t_ns": 1, "kind": "ready"}\n')
    written_ns = time.monotonic_ns()
    time.sleep(0.01)
    tail.poll()
    assert before_ns <= tail.told[0].since_ns <= written_ns < tail.told[0].seen_ns


def test_a_line_in_two_parts_is_one_event(pipe: Pipe, tail: EventTail) -> None:
    write(pipe, b'{"t_ns": 1, "ki')
    tail.poll()
    assert tail.told == []
    write(pipe, b'nd": "done"}\n')
    tail.poll()
    assert [one.event for one in tail.told] == [Event(1, "done")]


def test_a_long_line_behind_a_good_one_is_named_by_its_number(
    pipe: Pipe, tail: EventTail, tmp_path: Path
) -> None:
    write(pipe, b'{"t_ns": 1, "kind": "ready"}\n' + b"x" * (events.LINE_BYTES + 1))
    with pytest.raises(BadEvent, match="line 2 of the worker's events is longer than"):
        tail.poll()
    assert [event.kind for event in events.stored(tmp_path)] == ["ready"]


def test_a_line_that_is_no_event_is_named_by_its_number(pipe: Pipe, tail: EventTail, tmp_path: Path) -> None:
    write(pipe, b'{"t_ns": 1, "kind": "ready"}\nnonsense\x1b[2J\n{"t_ns": 1, "kind": "done"}\n')
    with pytest.raises(BadEvent, match="line 2 of the worker's events is not one: it is no JSON") as told:
        tail.poll()
    assert str(told.value).isprintable()
    assert [event.kind for event in events.stored(tmp_path)] == ["ready"]


@pytest.mark.parametrize(
    ("flood", "words"),
    [
        (b"x" * (events.LINE_BYTES + 1), "line 1 .* is longer than"),
        (b'{"t_ns": 1, "kind": "ready"}\n' * 4_000, "more than .* events"),
        (
            json.dumps({"t_ns": 1, "kind": "facts", "a": ["x" * 9_000] * 5}).encode() + b"\n",
            "more than .* bytes",
        ),
    ],
    ids=["a line without end", "events without end", "bytes without end"],
)
def test_a_flood_ends_at_a_bound(pipe: Pipe, tail: EventTail, flood: bytes, words: str) -> None:
    began_s = time.monotonic()
    with pytest.raises(BadEvent, match=words):
        while time.monotonic() < began_s + 60:
            write(pipe, flood)
            tail.poll()


def test_what_was_once_read_cannot_be_altered(pipe: Pipe, tail: EventTail, tmp_path: Path) -> None:
    """The worker has a pipe: there is no file of events that it could write again, cut or replace."""
    write(pipe, b'{"t_ns": 1, "kind": "ready"}\n')
    tail.poll()
    (tmp_path / "worker" / "events").unlink()
    (tmp_path / "worker" / "events").write_text('{"t_ns": 2, "kind": "done"}\n')
    tail.poll()
    assert [one.event.kind for one in tail.told] == ["ready"]


def test_a_worker_that_keeps_its_pipe_full_cannot_date_its_done_back(pipe: Pipe, tail: EventTail) -> None:
    """A look that takes a whole pipe is a look: what it did not find had not come."""
    write(pipe, b'{"t_ns": 1, "kind": "ready"}\n')
    tail.poll()
    line = b'{"t_ns": 2, "kind": "metrics", "metric": "m", "values": {}}'
    for _ in range(3):
        write(pipe, (line + b" " * (4095 - len(line)) + b"\n") * (PIPE_BYTES // 4096))
        looked_ns = time.monotonic_ns()
        tail.poll()
    write(pipe, b'{"t_ns": 3, "kind": "done"}\n')
    tail.poll()
    done = tail.first("done")
    assert done is not None and done.since_ns >= looked_ns


def test_what_grows_as_it_is_written_down_is_bounded_too(
    pipe: Pipe, tail: EventTail, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "TOTAL_BYTES", 10_000)
    line = json.dumps({"t_ns": 1, "kind": "facts", "a": "\x7f" * 100}, ensure_ascii=False).encode() + b"\n"
    with pytest.raises(BadEvent, match="more than 10000 bytes"):
        for _ in range(60):
            write(pipe, line)
            tail.poll()
    assert tail._bytes < 10_000 and (tmp_path / events.EVENTS_FILE).stat().st_size <= 10_000
    assert len(events.stored(tmp_path)) == len(tail.told)
