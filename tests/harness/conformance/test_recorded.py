"""What a hostile image leaves as its record is refused in one line, before anything is computed with it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from harness.conformance import recorded
from harness.conformance.tolerances import EXACT, LONG, OWN
from tests.harness.conformance.test_comparison import record

Change = Callable[[dict[str, Any]], object]


def whole() -> dict[str, Any]:
    return {"mode": "eager", **record()}


def test_a_record_comes_back_as_it_was_written() -> None:
    assert recorded.parsed(json.dumps([whole()]).encode(), [OWN]) == [whole()]


CHANGES: dict[str, Change] = {
    "0.mode: is missing": lambda one: one.pop("mode"),
    "0.mode: has characters, or a form": lambda one: one.update(mode="\x1b[2J"),
    "parameters: must be a whole number": lambda one: one.update(parameters="3"),
    "parameters: must be less": lambda one: one.update(parameters=2**70),
    "outputs: must be": lambda one: one.update(outputs=[1]),
    "gradients: must be": lambda one: one.update(gradients=[1]),
    "gradients.dense/bias.norm: is missing": lambda one: one["gradients"]["dense/bias"].pop("norm"),
    "gradients.\\\\x1b": lambda one: one["gradients"].update({"\x1b": one["gradients"]["dense/bias"]}),
    "0 losses are less than": lambda one: one.update(losses=[]),
    "losses.1: must be a number": lambda one: one.update(losses=[1, None]),
    "epochs.0.loss: must be": lambda one: one["epochs"][0].update(loss=[1.0]),
    "epochs.1.rows: has characters, or a form": lambda one: one["epochs"][1].update(rows="x"),
    "NaN is no number": lambda one: one["epochs"][0].update(loss=float("nan")),
}


@pytest.mark.parametrize("words", CHANGES)
def test_what_is_wrong_is_told_in_one_plain_line(words: str) -> None:
    one = copy.deepcopy(whole())
    CHANGES[words](one)
    with pytest.raises(ValueError, match=words) as caught:
        recorded.parsed(json.dumps([one]).encode(), [OWN])
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("text", [b"", b"[1]", b"[]", b"null", b"\xff", b"[" * 100_000, b'"' + b"x" * 1000])
def test_what_is_no_record_at_all_is_refused_too(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        recorded.parsed(text, [OWN])


def test_less_than_was_asked_for_is_no_record() -> None:
    """What all leave out alike would differ from nobody's."""
    by_step = {**whole(), "epochs": [], "trained": {}, "restored": None}
    assert recorded.parsed(json.dumps([by_step]).encode(), [EXACT]) == [by_step]
    for one, kind, words in (
        (by_step, OWN, "0: 0 epochs and 4 losses are less than was asked for"),
        (whole() | {"epochs": whole()["epochs"][:1]}, OWN, "1 epochs"),
        (whole(), LONG, "2 epochs and 4 losses are less"),
        (by_step | {"losses": [1.0]}, EXACT, "1 losses"),
        (whole() | {"restored": None}, OWN, "answers are missing"),
        (
            whole() | {"epochs": [*whole()["epochs"][:1], {**whole()["epochs"][1], "answers": None}]},
            OWN,
            "answers",
        ),
    ):
        with pytest.raises(ValueError, match=words):
            recorded.parsed(json.dumps([one]).encode(), [kind])
    small = whole() | {"losses": [1.0, 1.0]}  # of a data set with one batch
    assert recorded.parsed(json.dumps([small]).encode(), [OWN]) == [small]
    with pytest.raises(ValueError, match="1 records of 2"):
        recorded.parsed(json.dumps([whole()]).encode(), [OWN, OWN])
