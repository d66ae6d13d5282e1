"""A fingerprint tells every epoch and pass apart from one that computed anything else."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import log_softmax

from harness.worker import events
from suite import fingerprint
from suite.fingerprint import Epoch
from suite.mnist_mlp.spec import SPEC

SCORES = arrays(np.float32, (7, 3), elements=st.floats(-50, 50, width=32))
TRUTH = arrays(np.int64, 7, elements=st.integers(0, 2))


@given(SCORES, TRUTH)
def test_answers_are_their_sum_norm_and_cross_entropy(scores, truth):
    found = fingerprint.of_answers(scores, truth)
    wide = scores.astype(np.float64)
    assert found["sum"] == pytest.approx(wide.sum(), rel=1e-5, abs=1e-3)
    assert found["norm"] == pytest.approx(np.linalg.norm(wide), rel=1e-5)
    expected = -log_softmax(wide, axis=1)[np.arange(7), truth].mean()
    assert found["cross_entropy"] == pytest.approx(expected, rel=1e-4, abs=1e-5)


ANSWERED = np.random.default_rng(7).normal(size=(7, 3)).astype(np.float32)


@given(st.permutations(range(7)))
def test_answers_in_any_order_are_the_same_and_those_of_other_rows_are_not(order):
    truth, order = np.arange(7) % 3, np.array(order)
    told = fingerprint.of_answers(ANSWERED, truth)
    assert fingerprint.of_answers(ANSWERED[order], truth[order], order) == pytest.approx(told, rel=1e-5)
    kept = fingerprint.projection(ANSWERED, order)  # the answers of another pass
    in_place = np.array_equal(order, np.arange(7))
    assert (kept == pytest.approx(told["projection"], abs=1e-4)) == in_place


@given(arrays(np.float32, (7, 3), elements=st.floats(-1, 1, width=32)))
def test_a_projection_differs_by_about_the_norm_of_what_differs(change):
    before, after = (fingerprint.projection(scores, np.arange(7)) for scores in (ANSWERED, ANSWERED + change))
    of_classes, of_rows = fingerprint._directions((7, 3), np.dtype(np.float32))
    assert after - before == pytest.approx(float(of_rows @ change @ of_classes), abs=1e-4)
    assert all(np.linalg.norm(one) > 0 for one in (of_classes, of_rows))


@pytest.mark.parametrize("dtype", [np.float16, np.int64, np.float64])
def test_answers_of_any_kind_of_number_are_told_as_their_values(dtype):
    scores = np.random.default_rng(1).normal(0, 5, (360, 10)).round(1).astype(dtype)
    told = fingerprint.of_answers(scores, np.arange(360) % 10)
    expected = fingerprint.of_answers(scores.astype(np.float32), np.arange(360) % 10)
    assert told == pytest.approx(expected, rel=1e-5)
    assert told["norm"] == pytest.approx(np.linalg.norm(scores.astype(np.float64)), rel=1e-5)


@pytest.mark.parametrize("stage", ["bfloat16", "tiled", "half"])
def test_answers_that_were_rounded_or_tiled_have_another_projection(stage):
    scores = np.random.default_rng(1).normal(size=(360, 10)).astype(np.float32)
    wrong = {
        "bfloat16": (scores.view(np.uint32) & 0xFFFF0000).view(np.float32),
        "tiled": np.tile(scores[:180], (2, 1)),
        "half": np.concatenate([scores[:180], np.zeros_like(scores[180:])]),
    }[stage]
    told, right = (fingerprint.projection(one, np.arange(360)) for one in (wrong, scores))
    assert abs(told - right) > 1e-4 * np.linalg.norm(scores)


def test_large_scores_have_a_cross_entropy():
    found = fingerprint.of_answers(np.array([[1e4, -1e4]], np.float32), np.array([1]))
    assert found["cross_entropy"] == pytest.approx(2e4)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_what_is_no_number_is_null(wrong):
    scores = np.array([[wrong, 0.0]], np.float32)
    assert None in fingerprint.of_answers(scores, np.array([0])).values()
    told = fingerprint.of_epoch(Epoch(np.array([1.0, wrong]), np.zeros((2, 3), int)), {})
    assert (told["loss"], told["first_losses"]) == (None, [1.0, None])


def test_an_epoch_counts_what_was_taken_and_says_which():
    order = SPEC.batch_order(1437, 1, 1)
    told = fingerprint.of_epoch(Epoch(np.arange(len(order)) + 0.5, order), {})
    assert (told["steps"], told["samples"]) == (*order.shape[:1], order.size)
    assert told["first_losses"] == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5]
    others = [order[:-1], order[::-1], SPEC.batch_order(1437, 1, 2), order.reshape(order.shape[::-1])]
    assert len({told["rows"], *map(fingerprint.hash_of, others)}) == 5
    assert fingerprint.hash_of(order.astype(np.int32)) == told["rows"]


def test_of_a_mean_alone_no_first_losses_are_told_and_of_a_fit_no_loss():
    rows = np.zeros((4, 2), int)
    assert fingerprint.of_epoch(Epoch(np.array([0.3]), rows), {})["first_losses"] == []
    assert "loss" not in fingerprint.of_epoch(Epoch(np.empty(0), rows), {})


def test_the_passes_take_all_rows_in_orders_of_their_own():
    orders = [SPEC.pass_order(360, 3, number) for number in range(1, 6)]
    assert all(np.array_equal(np.sort(order), np.arange(360)) for order in orders)
    assert len({order.tobytes() for order in [*orders, SPEC.pass_order(360, 4, 1)]}) == 6


@pytest.mark.parametrize("count", [1, 500, 501, 1400])
def test_any_number_of_passes_fits_into_events(count):
    one = fingerprint.of_answers(np.random.default_rng(1).random((9, 3)).astype(np.float32), np.arange(9) % 3)
    parts = list(fingerprint.parts([one["projection"]] * count))
    lines = [json.dumps({"t_ns": 1, "kind": "fingerprint", "passes": part}).encode() for part in parts]
    assert sum(len(events.parse(line).data["passes"]) for line in lines) == count
    epoch = fingerprint.of_epoch(Epoch(np.full(9, 1 / 3), np.zeros((9, 2), int)), one)
    line = json.dumps({"t_ns": 1, "kind": "fingerprint", "epochs": [epoch] * min(count, 500)}).encode()
    assert len(events.parse(line).data["epochs"]) == min(count, 500)


@given(st.integers(1, 20_000), st.integers(0, 2**32))
def test_a_state_is_told_apart_by_whatever_a_fit_leaves(size, seed):
    generator = np.random.default_rng(seed)
    state = {"a_": generator.normal(size=size), "b_": np.arange(3)}
    assert fingerprint.of_state(state) == fingerprint.of_state(dict(reversed(state.items())))
    assert fingerprint.of_state({**state, "a_": state["a_"] + 1e-12}) != fingerprint.of_state(state)
    assert fingerprint.of_state({**state, "b_": np.arange(4)}) != fingerprint.of_state(state)


TOKENS = np.random.default_rng(3).integers(0, 50, (7, 5, 2))
LOGITS = np.random.default_rng(4).normal(size=(7, 5, 3)).astype(np.float32)


@given(st.permutations(range(7)))
def test_outputs_of_any_shape_are_told_in_any_order_and_whole_numbers_item_for_item(order):
    order = np.array(order)
    outputs = {"tokens": TOKENS, "logits": LOGITS}
    told = fingerprint.of_outputs(outputs)
    assert set(told) == {"tokens/items", "logits/sum", "logits/norm", "logits/projection"}
    turned = {name: one[order] for name, one in outputs.items()}
    again = fingerprint.of_outputs(turned, rows=order)
    assert again.pop("tokens/items") == told["tokens/items"]
    assert again == pytest.approx({name: one for name, one in told.items() if name in again}, rel=1e-4)
    one_pass = fingerprint.by_output(fingerprint.of_pass(turned, order))
    assert one_pass["tokens"] == told["tokens/items"]
    assert one_pass["logits"] == pytest.approx(told["logits/projection"], rel=1e-4)
    kept = fingerprint.by_output(fingerprint.of_pass(outputs, order))  # of another order
    assert (kept == fingerprint.by_output(fingerprint.of_pass(outputs, np.arange(7)))) == np.array_equal(
        order, np.arange(7)
    )


def test_one_item_changes_its_row_and_one_score_the_projection():
    other = TOKENS.copy()
    other[3, 2, 1] += 1
    assert fingerprint.of_outputs({"tokens": other}) != fingerprint.of_outputs({"tokens": TOKENS})
    assert fingerprint.of_pass({"scores": LOGITS}, np.arange(7)) == fingerprint.projection(
        LOGITS, np.arange(7)
    )


MANY = np.random.default_rng(5).integers(0, 9, (3000, 12))
ORDER = np.random.default_rng(6).permutation(3000)


def apart(answers, rows=ORDER):
    return fingerprint.items_apart(fingerprint.items_of(answers, rows), fingerprint.items_of(MANY))


def test_the_share_of_rows_that_differ_is_that_of_all_rows():
    others = MANY.copy()
    some = np.random.default_rng(8).permutation(3000)[:300]
    others[some, 4] += 1
    assert apart(MANY[ORDER]) == 0 and apart(others[ORDER]) == pytest.approx(0.1, abs=0.06)
    five_in_a_hundred = np.where(np.random.default_rng(9).random(MANY.shape) < 0.05, 0, MANY)
    assert apart(five_in_a_hundred[ORDER]) == pytest.approx(1 - (1 - 0.05 * 8 / 9) ** 12, abs=0.1)


@pytest.mark.parametrize("fault", ["kept from another order", "tiled", "another row's"])
def test_answers_that_are_no_row_s_own_differ_in_nearly_all_rows(fault):
    answers = {
        "kept from another order": MANY,
        "tiled": np.tile(MANY[ORDER][:100], (30, 1)),
        "another row's": np.roll(MANY[ORDER], 1, axis=0),
    }[fault]
    assert apart(answers) > 0.9


def test_padding_behind_a_row_is_no_item_and_any_whole_numbers_are_told():
    wider = np.concatenate([MANY, np.zeros((3000, 8), int)], axis=1)
    assert apart(wider[ORDER].astype(np.uint16)) == 0
    assert apart(-MANY[ORDER]) > 0.9
    assert fingerprint.items_apart(fingerprint.items_of(MANY), fingerprint.items_of(MANY[:200])) == 1.0


def test_long_prints_are_told_in_events_that_the_harness_takes():
    one = fingerprint.of_pass({"tokens": MANY}, ORDER)
    assert len(one["tokens"]) == fingerprint.ITEM_ROWS * fingerprint.ITEM_DIGITS
    parts = list(fingerprint.parts([one] * 700))
    lines = [json.dumps({"t_ns": 1, "kind": "fingerprint", "passes": part}).encode() for part in parts]
    assert sum(len(events.parse(line).data["passes"]) for line in lines) == 700 and len(parts) < 10


@pytest.mark.parametrize("outputs", [{"tokens": TOKENS}, {"tokens": TOKENS, "scores": LOGITS[:, 0]}])
def test_events_take_whatever_outputs_tell(outputs):
    classes = np.arange(7) % 3
    told = {
        "answers": fingerprint.of_outputs(outputs, classes),
        "passes": [fingerprint.of_pass(outputs, np.arange(7))],
    }
    assert events.parse(json.dumps({"t_ns": 1, "kind": "fingerprint", **told}).encode()).data == told
    assert ("cross_entropy" in told["answers"]) == ("scores" in outputs)


SEQUENCES = MANY[:200]


def test_the_first_column_that_differs_is_found_in_whatever_order_rows_were_asked_for():
    other = SEQUENCES.copy()
    other[7, 4:], other[11, 6:] = other[7, 4:] + 1, 0
    columns = fingerprint.columns_of(SEQUENCES)
    assert fingerprint.first_apart(columns, fingerprint.columns_of(SEQUENCES.copy())) is None
    assert fingerprint.first_apart(columns, fingerprint.columns_of(other)) == 4
    order = np.random.default_rng(5).permutation(200)
    assert fingerprint.columns_of(other[order], order) == fingerprint.columns_of(other)


def test_rows_that_are_padded_further_differ_nowhere():
    longer = np.pad(SEQUENCES, ((0, 0), (0, 3)))
    told = [fingerprint.columns_of(one) for one in (SEQUENCES, longer)]
    assert len(told[1]) > len(told[0]) and fingerprint.first_apart(*told) is None
    longer[3, -1] = 5
    assert fingerprint.first_apart(told[0], fingerprint.columns_of(longer)) == 14


def test_of_sequences_the_columns_are_told_and_of_boxes_none():
    assert set(fingerprint.of_outputs({"tokens": SEQUENCES})) == {"tokens/items", "tokens/columns"}
    assert set(fingerprint.of_outputs({"boxes": SEQUENCES[:, None]})) == {"boxes/items"}
