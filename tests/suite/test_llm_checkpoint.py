"""A public language model in our names computes what it computed: against its own formulas, by its own names."""

import numpy as np
import pytest

from harness.files.tensor_files import BFLOAT16
from suite.llm.spec import SPEC
from suite.spec import SettingError
from tests import public_llm
from tests.suite.llm_by_hand import ByHand

TOKENS = [3, 30, 3, 0, 17, 8, 8, 21, 5, 1, 12, 29]
LLAMA, GPT2 = (
    SPEC.with_settings({**public_llm.SIZES, **form}) for form in (public_llm.LLAMA, public_llm.GPT2)
)
OF_LLAMA, OF_GPT2 = public_llm.llama(), public_llm.gpt2()
EMBEDDINGS = "transformer.wte.weight"


def bare(tensors):
    return {name.removeprefix("model.").removeprefix("transformer."): one for name, one in tensors.items()}


def logits(spec, tensors):
    """By the formulas of the spec."""
    found = spec.from_checkpoint(tensors).weights
    assert {name: array.shape for name, array in found.items()} == spec.shapes
    return ByHand(spec, {name: array.astype(np.float64) for name, array in found.items()}).logits(TOKENS)


@pytest.mark.parametrize("of", [dict, bare], ids=["whole", "bare"])
@pytest.mark.parametrize(("spec", "tensors"), [(LLAMA, OF_LLAMA), (GPT2, OF_GPT2)], ids=["llama", "gpt2"])
def test_a_public_model_computes_the_same_by_our_names(spec, tensors, of):
    wanted = public_llm.logits(tensors, TOKENS)
    assert logits(spec, of(tensors)) == pytest.approx(wanted, rel=1e-12, abs=1e-12)
    assert len(set(wanted.argmax(1))) > 3  # it says more than one thing


def test_our_own_names_are_taken_as_they_are():
    weights = LLAMA.initial_weights(1)
    found = LLAMA.from_checkpoint(dict(weights)).weights
    assert all(np.array_equal(found[name], array) for name, array in weights.items())


def test_the_bias_of_keys_changes_nothing_and_is_left_out():
    for number, much in enumerate((0.0, 5.0)):
        name = f"transformer.h.{number}.attn.c_attn.bias"
        other = OF_GPT2[name] + np.repeat(np.float32([0, much, 0]), public_llm.WIDTH)
        changed = {**OF_GPT2, name: other}
        assert public_llm.logits(changed, TOKENS) == pytest.approx(
            public_llm.logits(OF_GPT2, TOKENS), rel=1e-10
        )
    left = GPT2.from_checkpoint(OF_GPT2).left
    assert left == dict.fromkeys(
        ("layer0_keys/bias", "layer1_keys/bias"), "biases of keys, which no softmax sees"
    )


def test_a_head_that_repeats_the_embedding_is_no_weight_of_a_tied_model():
    head = OF_GPT2[EMBEDDINGS]
    found = GPT2.from_checkpoint({**OF_GPT2, "lm_head.weight": head})
    assert found.left["lm_head.weight"] == "copy of the tokens' vectors"
    untied = SPEC.with_settings({**public_llm.SIZES, **public_llm.GPT2, "tied": False})
    assert logits(untied, {**OF_GPT2, "lm_head.weight": head}) == pytest.approx(
        logits(GPT2, OF_GPT2), rel=1e-12
    )


def test_a_head_in_another_precision_than_the_embedding_is_another():
    halves = np.zeros(OF_GPT2[EMBEDDINGS].shape, BFLOAT16)
    for tensors in ({"lm_head.weight": halves}, {EMBEDDINGS: halves, "lm_head.weight": OF_GPT2[EMBEDDINGS]}):
        with pytest.raises(SettingError, match="is another than its tokens' vectors"):
            GPT2.from_checkpoint({**OF_GPT2, **tensors})


def test_what_older_files_have_beside_is_no_weight():
    masks = {f"transformer.h.0.attn.{name}": np.ones((1, 1, 12, 12)) for name in ("bias", "masked_bias")}
    assert list(GPT2.from_checkpoint({**OF_GPT2, **masks}).left.values()).count("masks") == 2
    waves = {"model.layers.1.self_attn.rotary_emb.inv_freq": public_llm.frequencies().astype(np.float16)}
    assert set(LLAMA.from_checkpoint({**OF_LLAMA, **waves}).left.values()) == {"frequencies of positions"}


def without(tensors, *names):
    return {name: one for name, one in tensors.items() if name not in names}


QUERIES, FREQUENCIES = "model.layers.1.self_attn.q_proj", "model.layers.0.self_attn.rotary_emb.inv_freq"


OF_ANOTHER_BASE = LLAMA.with_settings({"rotary_base": 10_000.0})
FUSED = "transformer.h.0.attn.c_attn.weight"


@pytest.mark.parametrize(
    ("spec", "tensors", "reason"),
    [
        (LLAMA, without(OF_LLAMA, f"{QUERIES}.weight"), "lacks 'layer1_queries/kernel', which a llama of 2 layers has"),
        (LLAMA, OF_LLAMA | {f"{QUERIES}.bias": np.zeros(16)}, f"no llama of 2 layers has '{QUERIES}.bias': is it of"),
        (LLAMA, OF_LLAMA | {"model.layers.2.mlp.up_proj.weight": np.zeros((20, 16))}, "no llama of 2 layers"),
        (LLAMA, OF_GPT2, "no llama of 2 layers has 'transformer.h.0.attn.c_attn.bias', .* and 25 more"),
        (GPT2, OF_LLAMA, "no gpt2 of 2 layers has 'model.embed_tokens.weight', "),
        (LLAMA, without(OF_LLAMA, "lm_head.weight"), "it has no lm_head.weight: .* set tied = true"),
        (GPT2, OF_GPT2 | {"lm_head.weight": np.zeros((31, 16))}, "lm_head.weight is another than .* set tied = false"),
        (LLAMA, OF_LLAMA | {"norm.weight": np.zeros(16)}, "two tensors for last_norm/gamma, by two names: keep one"),
        (LLAMA, OF_LLAMA | {"last_norm/gamma": np.zeros(16)}, "two tensors for last_norm/gamma"),
        (LLAMA, OF_LLAMA | {FREQUENCIES: np.array([1.0, 0.01])}, "inv_freq are not of rotary_base 500 and 4 heads"),
        (OF_ANOTHER_BASE, OF_LLAMA | {FREQUENCIES: public_llm.frequencies()}, "inv_freq are not of rotary_base 10000 "),
        (LLAMA, OF_LLAMA | {FREQUENCIES: np.ones(())}, "its inv_freq are not of rotary_base 500"),
        (GPT2, OF_GPT2 | {FUSED: np.zeros((16, 32))}, r"shape \[16, 32\], not \[..., 48\]: is it of another size"),
        (GPT2, OF_GPT2 | {FUSED: np.zeros(())}, r"is of shape \[\], not"),
        (GPT2, OF_GPT2 | {FUSED.replace("0", "02"): np.zeros((16, 48))}, "no gpt2 of 2 layers has .*02"),
        (LLAMA, {}, "it has no lm_head.weight"),
        (GPT2, {}, "it lacks 'last_norm/beta', 'last_norm/gamma', .* and 31 more"),
    ],
)  # fmt: skip
def test_a_file_of_another_model_is_refused_in_one_line(spec, tensors, reason):
    with pytest.raises(SettingError, match=reason):
        spec.from_checkpoint(tensors)
