"""Numbers of the language model that all frameworks take from one place, so that no proof of equal work sees them."""

from __future__ import annotations

import numpy as np
import pytest

from suite.llm.serving import NO_TOKEN
from suite.llm.spec import SPEC

SMALL = SPEC.with_settings(
    {
        "form": "llama", "tied": False, "layers": 3, "width": 16, "heads": 4, "kv_heads": 2, "inner": 24,
        "vocabulary": 61, "context": 24, "prompt_tokens": 5, "new_tokens": 7, "predict_batch_size": 4, "requests": 8,
    }
)  # fmt: skip


def test_the_rate_rises_from_its_first_part_and_falls_to_a_tenth_where_it_stays():
    spec = SPEC.with_settings(
        {"warmup_steps": 4, "iterations": 10, "evaluate_every": 5, "learning_rate": 2.0}
    )
    rates = spec.rates(0, 14)
    assert rates[:5] == pytest.approx([0.5, 1.0, 1.5, 2.0, 2.0])
    assert rates[7] == pytest.approx(2.0 * (0.1 + 0.9 / 2))  # half way, by the cosine
    assert rates[10:] == pytest.approx([0.2] * 4)
    assert (np.diff(rates[4:11]) < 0).all()
    assert np.array_equal(spec.rates(3, 5), rates[3:8])


@pytest.mark.parametrize("form", ["llama", "gpt2"])
def test_weights_that_multiply_decay_and_no_others(form):
    spec = SMALL.with_settings({"form": form})
    assert {name for name in spec.shapes if spec.decays(name)} == {
        name for name, shape in spec.shapes.items() if len(shape) == 2
    }


@pytest.mark.parametrize("form", ["llama", "gpt2"])
def test_what_is_added_to_a_block_s_input_begins_smaller_the_more_blocks_there_are(form):
    spec = SPEC.with_settings(
        {"size": "tiny", "form": form, "layers": 8, "width": 64, "heads": 4, "kv_heads": 4}
    )
    for name, array in spec.initial_weights(1).items():
        layer, _, word = name.rpartition("/")
        if word in ("gamma", "beta", "bias"):
            assert (array == float(word == "gamma")).all(), name
            continue
        is_added = layer.partition("_")[2] in ("attention", "down")
        assert array.std() == pytest.approx(0.02 / 4 if is_added else 0.02, rel=0.05), name


def test_a_cache_holds_a_prompt_and_its_answer_of_the_heads_that_have_keys():
    keys_and_values, bytes_each = 2, 4
    assert SMALL.cache_bytes == 4 * (5 + 7) * 3 * 2 * 4 * keys_and_values * bytes_each


def test_the_first_token_of_an_answer_is_the_prompt_s_work_and_not_the_decoding_s():
    answers = np.array([[1, 2, 3, NO_TOKEN, NO_TOKEN, NO_TOKEN, NO_TOKEN]] * 2)
    assert SMALL.counted({}, np.arange(2), {"tokens": answers}) == {
        "sample": 2, "prompt_token": 2 * 5, "generated_token": 2 * 6, "answer_token": 2 * 3,
    }  # fmt: skip
    assert SMALL.counted({}, np.arange(2)) == {"sample": 2, "token": 2 * 24}


def test_answers_are_held_against_the_text_that_follows_the_prompt_up_to_their_end():
    x = np.arange(2 * 25).reshape(2, 25) % 61
    told = x[:, 5:12].copy()
    assert SMALL.evaluate({"x": x}, {"tokens": told}) == {"continuation": 1.0}
    told[0, 3:] = NO_TOKEN
    told[1, 0] = told[1, 0] + 1
    assert SMALL.evaluate({"x": x}, {"tokens": told}) == {"continuation": 9 / 10}


def test_the_operations_of_a_request_token_by_token():
    """The prompt at once, to all of itself; each token but the last one is read, and attends to those before it."""
    width, together, fewer, inner = 16, 4 * 4, 2 * 4, 24
    kernels = width * together + 2 * width * fewer + together * width + 3 * width * inner
    reads = [(5, 5)] + [(1, 5 + number) for number in range(1, 7)]
    found = sum(2 * 3 * (tokens * kernels + 2 * together * tokens * seen) for tokens, seen in reads)
    assert SMALL.sample_flops("generate") == found + 7 * 2 * width * 61


@pytest.mark.parametrize(("base", "context"), [(500.0, 24), (10_000.0, 2048)])
def test_numbers_are_turned_by_their_position_and_the_slower_the_later_they_stand(base, context):
    angles = SPEC.with_settings(
        {"form": "llama", "context": context, "prompt_tokens": 4, "new_tokens": 4, "rotary_base": base}
    ).angles
    assert angles.shape == (context, 32)  # of heads of 64
    for number in (0, 1, 31):
        assert angles[:, number] == pytest.approx(np.arange(context) / base ** (2 * number / 64))
