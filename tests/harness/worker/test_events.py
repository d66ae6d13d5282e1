"""A worker's events: what honest ones tell comes through as it was; anything else is refused in words to show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import CampaignError
from harness.worker import events
from harness.worker.events import BadEvent
from suite.protocol import REQUESTS_PART, STAMPS, Event

PHASE = {"t_ns": 1, "kind": "phase", "name": "train", "edge": "begin", "epoch": 1}
METRICS = {
    "t_ns": 1,
    "kind": "metrics",
    "epoch": 1,
    "metric": "accuracy",
    "values": {"accuracy": 0.9, "loss": None},
}
STAMPED = {"kind": "requests", "arrived_ns": [1, 2], "first_token_ns": [3, 4], "last_token_ns": [5, 2**62]}
HONEST = [
    {"t_ns": 1, **STAMPED},
    {"t_ns": 1, "kind": "ready", "pid": 7},
    PHASE,
    {**PHASE, "epoch": None, "edge": "end"},
    METRICS,
    {
        "t_ns": 1,
        "kind": "work",
        "samples": 10,
        "steps": 2,
        "parameters": 3,
        "flops_per_step": None,
        "data_bytes": 9,
    },
    {"t_ns": 1, "kind": "usage", "cpu_s": 1, "memory_peak_bytes": 5},
    {"t_ns": 1, "kind": "usage", "cpu_s": 1, "memory_peak_bytes": 5, "gpu_memory_peak_bytes": None},
    {"t_ns": 1, "kind": "usage", "cpu_s": 1, "memory_peak_bytes": 5, "gpu_memory_peak_bytes": 7},
    {
        "t_ns": 1,
        "kind": "facts",
        "mode": "eager",
        "threads": 1,
        "build": "line 1\nline 2",
        "devices": [{"a": [1.5]}],
    },
    {"t_ns": 1, "kind": "failed", "error": "ValueError: no"},
    {"t_ns": 1, "kind": "done"},
]
deep: Any = "x"
for _ in range(events.FACTS_DEPTH + 1):
    deep = [deep]
FORGED: list[Any] = [
    {"t_ns": 1, **STAMPED, "arrived_ns": [1]},
    {"t_ns": 1, **STAMPED, "last_token_ns": [1, -1]},
    {"t_ns": 1, **STAMPED, "last_token_ns": [1, 1.5]},
    {"t_ns": 1, "kind": "requests", **dict.fromkeys(STAMPS, [1] * (REQUESTS_PART + 1))},
    None, [], 7, "ready", {}, {"kind": "done"}, {"t_ns": 1}, {"t_ns": 1, "kind": "other"},
    {"t_ns": -1, "kind": "done"}, {"t_ns": 2**63, "kind": "done"}, {"t_ns": 1.5, "kind": "done"},
    {"t_ns": "1", "kind": "done"}, {"t_ns": True, "kind": "done"}, {"t_ns": 1, "kind": "done", "energy_j": 0.1},
    {"t_ns": 1, "kind": ["done"]}, {"t_ns": 1, "kind": "ready", "pid": -1}, {**PHASE, "name": ""},
    {**PHASE, "name": "../x"}, {**PHASE, "name": "a" * 65}, {**PHASE, "name": "\x1b[31m"}, {**PHASE, "name": "=1+1"},
    {**PHASE, "name": "a\n"}, {**PHASE, "edge": "middle"}, {**PHASE, "epoch": 1.5}, {**PHASE, "epoch": "1"},
    {**METRICS, "values": []}, {**METRICS, "values": {"a": "0.9"}}, {**METRICS, "values": {"a": True}},
    {**METRICS, "values": {"a\x00": 1}}, {**METRICS, "values": {str(n): 1 for n in range(65)}},
    {**METRICS, "metric": {"a": 1}}, {"t_ns": 1, "kind": "work", "samples": -1},
    {"t_ns": 1, "kind": "work", "samples": 2**70}, {"t_ns": 1, "kind": "usage", "cpu_s": -1, "memory_peak_bytes": 1},
    {"t_ns": 1, "kind": "usage", "cpu_s": 1, "memory_peak_bytes": 1, "gpu_memory_peak_bytes": -1},
    {"t_ns": 1, "kind": "failed", "error": "x" * 2001}, {"t_ns": 1, "kind": "failed", "error": ["x"]},
    {"t_ns": 1, "kind": "facts", "a": deep}, {"t_ns": 1, "kind": "facts", "a": "x" * 16_385},
    {"t_ns": 1, "kind": "facts", "a": [0] * 5_001}, {"t_ns": 1, "kind": "facts", "a": 2**64},
]  # fmt: skip


@pytest.mark.parametrize("record", HONEST, ids=lambda record: str(record["kind"]))
def test_an_honest_event_comes_through_as_it_was(record: dict[str, Any]) -> None:
    told = {name: value for name, value in record.items() if name not in ("t_ns", "kind")}
    event = events.parse(json.dumps(record).encode())
    assert event == Event(1, record["kind"], told)
    assert json.loads(events.to_line(event)) == record


@pytest.mark.parametrize("record", FORGED, ids=lambda record: json.dumps(record)[:60])
def test_a_forged_event_is_refused_in_one_line(record: Any) -> None:
    with pytest.raises(BadEvent) as told:
        events.parse(json.dumps(record).encode())
    assert str(told.value).isprintable() and len(str(told.value)) < 400


@pytest.mark.parametrize(
    "line",
    [
        b"", b"\xff\xfe", b"{", b"[" * 200_000, b'{"t_ns": 1, "kind": "done"} x', b"\x00" * 100, b"9" * 5000,
        b'{"t_ns": 1, "kind": "usage", "cpu_s": NaN, "memory_peak_bytes": 1}',
        b'{"t_ns": 1, "kind": "usage", "cpu_s": 1e999, "memory_peak_bytes": 1}',
        b'{"t_ns": 1, "kind": "metrics", "metric": "a", "values": {"a": -Infinity}}',
        b'{"t_ns": 1, "kind": "failed", "error": "' + b"x" * events.LINE_BYTES + b'"}',
    ],
    ids=range(11),
)  # fmt: skip
def test_a_line_that_is_none_is_refused_in_one_line(line: bytes) -> None:
    with pytest.raises(BadEvent) as told:
        events.parse(line)
    assert str(told.value).isprintable()


@given(st.binary(max_size=200))
def test_no_bytes_whatever_end_in_another_error(line: bytes) -> None:
    try:
        events.parse(line)
    except BadEvent as error:
        assert str(error).isprintable()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(
    st.fixed_dictionaries({"t_ns": st.integers(0, 9), "kind": st.just("facts")}),
    st.dictionaries(st.text(), JSON),
)
def test_facts_that_come_through_can_be_written_and_shown(
    head: dict[str, Any], facts: dict[str, Any]
) -> None:
    try:
        event = events.parse(json.dumps({**facts, **head}).encode())
    except BadEvent:
        return
    assert events.parse(events.to_line(event)[:-1]) == event
    assert "\x1b" not in str(event.data) and events.to_line(event).decode("ascii")


def test_what_an_error_says_can_be_shown() -> None:
    event = events.parse(
        json.dumps({"t_ns": 1, "kind": "failed", "error": "\x1b]0;owned\x07\x1b[2J"}).encode()
    )
    assert event.data["error"] == r"\x1b]0;owned\x07\x1b[2J"


def test_a_stored_run_reads_as_it_was_written_and_a_cut_last_line_is_left_out(tmp_path: Path) -> None:
    assert events.stored(tmp_path) == []
    lines = b"".join(events.to_line(Event(n, "done")) for n in range(3))
    (tmp_path / events.EVENTS_FILE).write_bytes(lines + b'{"t_ns": 9, "ki')
    assert [event.t_ns for event in events.stored(tmp_path)] == [0, 1, 2]


def test_a_stored_line_that_is_no_event_is_named(tmp_path: Path) -> None:
    (tmp_path / events.EVENTS_FILE).write_bytes(events.to_line(Event(1, "done")) + b'{"t_ns": 1}\n')
    with pytest.raises(CampaignError, match=r"events\.jsonl, line 2 is no event: "):
        events.stored(tmp_path)


@pytest.mark.parametrize(("line", "words"), [(b"{\xff}", "its bytes are no text$"), (b"{", "it is no JSON$")])
def test_a_stored_line_of_no_json_is_told_in_our_own_words(tmp_path: Path, line: bytes, words: str) -> None:
    (tmp_path / events.EVENTS_FILE).write_bytes(line + b"\n")
    with pytest.raises(CampaignError, match=rf"events\.jsonl, line 1 is no event: {words}"):
        events.stored(tmp_path)


def test_a_loss_that_an_older_version_wrote_as_nan_is_unknown(tmp_path: Path) -> None:
    text = b'{"t_ns": 1, "kind": "metrics", "metric": "accuracy", "values": {"loss": NaN, "accuracy": 0.1}}\n'
    (tmp_path / events.EVENTS_FILE).write_bytes(text)
    (event,) = events.stored(tmp_path)
    assert event.data["values"] == {"loss": None, "accuracy": 0.1}


@pytest.mark.parametrize("hidden", ["\x1b", "\U000e0001", "\x7f", "a\n\x1b"])
@pytest.mark.parametrize("count", [1, 200, 501, 1999, 4097, 16_000])
@pytest.mark.parametrize("kind", [{"kind": "failed", "error": ""}, {"kind": "facts", "a": {"b": [""]}}])
def test_whatever_comes_through_is_read_again(
    tmp_path: Path, kind: dict[str, Any], hidden: str, count: int
) -> None:
    """What is hidden grows as it is written down, beyond the bound of what is read unless that holds for it, too."""
    line = json.dumps({"t_ns": 1, **kind}).replace('""', json.dumps(hidden * count)).encode()
    try:
        event = events.parse(line)
    except events.BadEvent:
        return
    (tmp_path / events.EVENTS_FILE).write_bytes(events.to_line(event))
    assert events.stored(tmp_path) == [event]
