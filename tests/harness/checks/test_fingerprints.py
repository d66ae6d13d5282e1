"""A run that took other samples, left out epochs or passes, or lost its numbers on the way does not count."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from harness.checks.fingerprints import AskedWork, not_asked_for
from suite import fingerprint
from suite.protocol import Event

ORDERS = [np.arange(12).reshape(3, 4) + epoch for epoch in range(3)]
ASKED = AskedWork(epochs=[fingerprint.hash_of(order) for order in ORDERS])
ANSWERS = {"sum": 1.0, "norm": 2.0, "cross_entropy": 0.5, "projection": -1.5}


def epochs(*orders: np.ndarray, loss: float = 0.5, answers: dict[str, Any] = ANSWERS) -> list[dict[str, Any]]:
    """Each changes the answers a little."""
    trained = [fingerprint.Epoch(np.full(len(one), loss), one) for one in orders]
    return [
        fingerprint.of_epoch(one, {**answers, "sum": answers["sum"] + number})
        for number, one in enumerate(trained)
    ]


def found(asked: AskedWork | None, answers: dict[str, Any] | None = None, **prints: list[Any]) -> str:
    """What is wrong; in two events, as of many epochs, and one of the last pass' answers."""
    events = [
        Event(1, "fingerprint", {name: part})
        for name, told in prints.items()
        for part in (told[:1], told[1:])
    ]
    if answers:
        events.append(Event(2, "fingerprint", {"answers": answers}))
    return " ".join(f"{one.severity}: {one.message}" for one in not_asked_for(events, asked))


def test_what_was_asked_for_has_no_finding() -> None:
    assert found(ASKED, epochs=epochs(*ORDERS)) == ""
    assert found(AskedWork(passes=3), ANSWERS, passes=[-1.5, -1.49, -1.5]) == ""
    assert found(None, epochs=epochs(ORDERS[0])) == ""


@pytest.mark.parametrize(
    ("prints", "words"),
    [
        (epochs(*ORDERS[:2]), "invalid: it computed 2 epochs of 3"),
        (epochs(*ORDERS, ORDERS[0]), "it computed 4 epochs of 3"),
        (epochs(ORDERS[0], ORDERS[0], ORDERS[2]), "steps of epoch 2 took other samples"),
        (epochs(ORDERS[0], ORDERS[1], ORDERS[2][:2]), "steps of epoch 3 took other samples"),
        (epochs(*ORDERS, loss=float("nan")), "epoch 1 has a loss or answers that are no finite number"),
        (epochs(*ORDERS, answers={**ANSWERS, "norm": None}), "epoch 1 has a loss or answers"),
    ],
)
def test_a_training_that_was_not_asked_for_is_invalid(prints: list[dict[str, Any]], words: str) -> None:
    assert re.search(words, found(ASKED, epochs=prints))


def test_passes_that_are_missing_or_have_no_numbers_are_invalid() -> None:
    three = AskedWork(passes=3)
    assert "it computed 2 passes of 3" in found(three, ANSWERS, passes=[-1.5] * 2)
    assert "pass 2 has answers that are no finite number" in found(three, ANSWERS, passes=[-1.5, None, -1.5])
    infinite = {**ANSWERS, "cross_entropy": None}
    assert "pass 3 has answers that are no finite number" in found(three, infinite, passes=[-1.5] * 3)
    assert "it told no answers of its last pass" in found(three, passes=[-1.5] * 3)


def test_answers_that_were_kept_from_another_pass_are_invalid() -> None:
    """Rows come in another order in every pass: what does not follow them projects to something else."""
    kept = found(AskedWork(passes=3), ANSWERS, passes=[-1.5, -1.4, -1.5])
    assert kept.startswith("invalid: pass 2 has other answers than the last one")


ROWS = 200
ITEMS = "".join(f"{row:04x}" for row in range(ROWS))  # of so many rows
SOME = "ffff" * 4 + ITEMS[16:]  # 2 % of them are others
MORE = "ffff" * 5 + ITEMS[20:]
OF_BOTH = {"tokens/items": ITEMS, "logits/norm": 2.0, "logits/projection": -1.5}


@pytest.mark.parametrize(
    ("second", "same"),
    [
        ({"tokens": ITEMS, "logits": -1.49}, True),
        ({"tokens": SOME, "logits": -1.5}, True),
        ({"tokens": MORE, "logits": -1.5}, False),
        ({"tokens": ITEMS[4:] + ITEMS[:4], "logits": -1.5}, False),
        ({"tokens": ITEMS[4:], "logits": -1.5}, False),
        ({"tokens": ITEMS, "logits": -1.4}, False),
        ({"tokens": ITEMS, "logits": ITEMS}, False),
        ({"words": ITEMS}, False),
    ],
)
def test_every_output_of_a_pass_is_held_against_the_last_one_s(second: dict[str, Any], same: bool) -> None:
    told = found(AskedWork(passes=2), OF_BOTH, passes=[{"tokens": ITEMS, "logits": -1.5}, second])
    assert ("pass 2 has other answers" in told) is not same
    assert "pass 2 has answers that are no finite" in found(
        AskedWork(passes=2), OF_BOTH, passes=[{}, {"x": None}]
    )


def test_a_spec_says_how_many_rows_may_differ_from_pass_to_pass() -> None:
    told = {"answers": OF_BOTH, "passes": [{"tokens": MORE}, {"tokens": ITEMS}]}
    assert "pass 1 has other answers" in found(AskedWork(passes=2), **told)
    assert found(AskedWork(passes=2, items=0.03), **told) == ""


def test_hashes_of_before_rows_were_told_are_the_same_or_not() -> None:
    last = {"tokens/hash": "0" * 16}
    assert found(AskedWork(passes=2), last, passes=[{"tokens": "0" * 16}] * 2) == ""
    other = "0" * 15 + "1"
    assert "pass 1 has" in found(AskedWork(passes=2), last, passes=[{"tokens": other}, {"tokens": "0" * 16}])


def test_chosen_words_may_stay_from_epoch_to_epoch_but_scores_may_not() -> None:
    words = [{**one, "answers": {"tokens/hash": "0" * 16}} for one in epochs(*ORDERS)]
    assert found(ASKED, epochs=words) == ""
    scores = [{**one, "answers": {"tokens/hash": "0" * 16, "sum": 1.0}} for one in epochs(*ORDERS)]
    assert "epoch 2 has changed no answer" in found(ASKED, epochs=scores)


def test_a_training_where_passes_were_asked_for_is_invalid() -> None:
    assert "it computed 3 epochs of 0" in found(AskedWork(passes=1), epochs=epochs(*ORDERS))


def test_an_epoch_that_leaves_the_answers_as_they_were_is_invalid() -> None:
    told = epochs(*ORDERS)
    told[2]["answers"] = told[1]["answers"]
    assert "invalid: epoch 3 has changed no answer" in found(ASKED, epochs=told)


def test_a_fit_may_give_the_same_answers_but_not_leave_the_same_state() -> None:
    fits = [
        {**one, "answers": ANSWERS, "state": f"{number:016x}"} for number, one in enumerate(epochs(*ORDERS))
    ]
    for one in fits:
        del one["loss"]
    assert found(ASKED, epochs=fits) == ""
    fits[1]["state"] = fits[0]["state"]
    assert "invalid: epoch 2 has left what the one before it left" in found(ASKED, epochs=fits)
