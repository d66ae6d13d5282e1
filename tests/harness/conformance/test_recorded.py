"""What a hostile image leaves as its record is refused in one line, before anything is computed with it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from harness.conformance import recorded
from tests.harness.conformance.test_comparison import record

Change = Callable[[dict[str, Any]], object]


def whole() -> dict[str, Any]:
    return {"mode": "eager", "dtype": "float64", "threads": 1, **record()}


def test_a_record_comes_back_as_it_was_written() -> None:
    assert recorded.parsed(json.dumps(whole()).encode()) == whole()


CHANGES: dict[str, Change] = {
    "mode: Field required": lambda one: one.pop("mode"),
    "mode: String should match": lambda one: one.update(mode="\x1b[2J"),
    "parameters: Input should be a valid integer": lambda one: one.update(parameters="3"),
    "parameters: Input should be less": lambda one: one.update(parameters=2**70),
    "logits: Input should be a valid list": lambda one: one.update(logits={"a": 1}),
    "gradients: Input should be": lambda one: one.update(gradients=[1]),
    "gradients.dense/bias.norm: Field required": lambda one: one["gradients"]["dense/bias"].pop("norm"),
    "gradients.\\\\x1b": lambda one: one["gradients"].update({"\x1b": one["gradients"]["dense/bias"]}),
    "plain.losses: List should have": lambda one: one["plain"].update(losses=[]),
    "plain.losses.1: Input should be a valid number": lambda one: one["plain"].update(losses=[1, None]),
    "as_specified.train_loss: Input should be": lambda one: one["as_specified"].update(train_loss=[1.0]),
    "NaN is no number": lambda one: one["plain"].update(train_loss=float("nan")),
}


@pytest.mark.parametrize("words", CHANGES)
def test_what_is_wrong_is_told_in_one_plain_line(words: str) -> None:
    one = copy.deepcopy(whole())
    CHANGES[words](one)
    with pytest.raises(ValueError, match=words) as caught:
        recorded.parsed(json.dumps(one).encode())
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("text", [b"", b"[1]", b"null", b"\xff", b"[" * 100_000, b'"' + b"x" * 1000])
def test_what_is_no_record_at_all_is_refused_too(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        recorded.parsed(text)
