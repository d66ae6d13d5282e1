"""The weights of a language model in checkpoints: by our names, or by those that Llama and GPT-2 are published under.

Llama's `model.layers.0.self_attn.q_proj.weight` [out, in] is our `layer0_queries/kernel` [in, out]; GPT-2's kernels are
[in, out] already, and its `transformer.h.0.attn.c_attn` is queries, keys and values side by side. A whole model has a
word before its names, a bare one none. Positions turn halves, or are added, as in ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

import numpy as np

from suite.llm.sizes import GPT2, LLAMA
from suite.pretrained import shown
from suite.spec import Arrays, SettingError, Taken

BEFORE = {LLAMA: "model.", GPT2: "transformer."}  # names of a whole model
EMBEDDINGS, HEAD, PUBLIC_HEAD = "tokens/embeddings", "likely/kernel", "lm_head.weight"
WORDS = {"embeddings": "weight", "kernel": "weight", "gamma": "weight", "beta": "bias", "bias": "bias"}
PLACES = {
    LLAMA: {
        "tokens": "embed_tokens", "attention_norm": "input_layernorm", "queries": "self_attn.q_proj",
        "keys": "self_attn.k_proj", "values": "self_attn.v_proj", "attention": "self_attn.o_proj",
        "inner_norm": "post_attention_layernorm", "gate": "mlp.gate_proj", "up": "mlp.up_proj", "down": "mlp.down_proj",
        "last_norm": "norm",
    },
    GPT2: {
        "tokens": "wte", "positions": "wpe", "attention_norm": "ln_1", "attention": "attn.c_proj", "inner_norm": "ln_2",
        "up": "mlp.c_fc", "down": "mlp.c_proj", "last_norm": "ln_f",
    },
}  # fmt: skip
LAYERS = {LLAMA: "layers", GPT2: "h"}
TOGETHER, FUSED = ("queries", "keys", "values"), "attn.c_attn"  # in GPT-2
# What older files have beside each layer's weights.
BESIDE = {
    "self_attn.rotary_emb.inv_freq": "frequencies of positions", "attn.bias": "masks", "attn.masked_bias": "masks",
}  # fmt: skip
KEY_BIAS, REPEATED = "biases of keys, which no softmax sees", "copy of the tokens' vectors"
AS_FREQUENCIES = 1e-2  # relative: those of a file in 16 bits, too


def taken(spec: Any, tensors: Mapping[str, np.ndarray]) -> Taken:
    """All weights of an Llm, each a view of the file's tensor.

    Raises: SettingError for tensors that a model of this form and size has not, two of one weight, or none of one.
    """
    weights: Arrays = {}
    left: dict[str, str] = {}
    unknown, known = [], _canonical_names(spec)
    for name, array in tensors.items():
        public = name.removeprefix(BEFORE[spec.form])
        if why := _beside(spec, public, array):
            left[name] = why
            continue
        found = dict(_parts(spec, known, name, public, array))
        if twice := [one for one in found if one in weights]:
            raise SettingError(f"it has two tensors for {twice[0]}, by two names: keep one")
        weights |= found
        unknown += [] if found else [name]
    if unknown:
        words = f"no {spec.form} of {spec.layers} layers has {shown(unknown)}"
        raise SettingError(f"{words}: is it of another form or size, as a plan sets them?")
    left |= dict(_dropped(spec, weights))
    if lacking := [name for name in spec.shapes if name not in weights]:
        words = f"it lacks {shown(lacking)}, which a {spec.form} of {spec.layers} layers has"
        raise SettingError(f"{words}: is it of fewer layers, or one of several files?")
    return Taken(weights, left)


def _canonical_names(spec: Any) -> dict[str, str]:
    """By those of a bare public model."""
    return {PUBLIC_HEAD: HEAD} | {
        f"{place}.{WORDS[word]}": f"{layer}/{word}"
        for layer, word in (name.split("/") for name in spec.shapes)
        if (place := _place(spec.form, layer))
    }


def _place(form: str, layer: str) -> str:
    """Of a layer by its canonical name; empty where it has none of its own."""
    number, _, inner = layer.removeprefix("layer").partition("_")
    if not number.isdecimal():
        return PLACES[form].get(layer, "")
    found = PLACES[form].get(inner, "")
    return found and f"{LAYERS[form]}.{number}.{found}"


def _beside(spec: Any, public: str, array: np.ndarray) -> str:
    """What a tensor is that is no weight; empty if it may be one."""
    layers, number, inner = (*public.split(".", 2), "", "")[:3]
    if layers != LAYERS[spec.form] or not number.isdecimal() or inner not in BESIDE:
        return ""
    if inner.endswith("inv_freq") and array.dtype.kind == "f":
        _require_frequencies(spec, array)
    return BESIDE[inner]


def _parts(
    spec: Any, known: Mapping[str, str], name: str, public: str, array: np.ndarray
) -> Iterator[tuple[str, np.ndarray]]:
    """The weights that one tensor holds, by their canonical names and in canonical layout."""
    if name in (*spec.shapes, HEAD):
        yield name, array
    elif canonical := known.get(public):
        is_turned = canonical == HEAD or (spec.form == LLAMA and canonical.endswith("/kernel"))
        yield canonical, array.T if is_turned else array
    elif spec.form == GPT2 and (layer := _fused(public)) in spec.layer_names:
        yield from _apart(spec, layer, public, array)


def _fused(public: str) -> str:
    """The beginning of the canonical names of what GPT-2 has in one tensor."""
    layers, number, inner = (*public.split(".", 2), "", "")[:3]
    return f"layer{number}_" if layers == LAYERS[GPT2] and inner.rpartition(".")[0] == FUSED else ""


def _apart(spec: Any, layer: str, public: str, array: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    widths = [spec.products[name][1] for name in TOGETHER]
    if array.shape[-1:] != (sum(widths),):
        raise SettingError(
            f"its {public} is of shape {list(array.shape)}, not [..., {sum(widths)}]: is it of another size?"
        )
    kind = "bias" if public.endswith(".bias") else "kernel"
    for name, part in zip(TOGETHER, np.split(array, [*accumulate(widths)][:-1], axis=-1), strict=True):
        yield f"{layer}{name}/{kind}", part


def _dropped(spec: Any, weights: Arrays) -> Iterator[tuple[str, str]]:
    """What is taken out of `weights`, because the model computes the same without: name, and why."""
    for layer in spec.layer_names:
        if weights.pop(name := f"{layer}keys/bias", None) is not None:
            yield name, KEY_BIAS
    if not spec.tied and HEAD not in weights:
        raise SettingError(
            f"it has no {PUBLIC_HEAD}: its last product is by the tokens' own vectors, set tied = true"
        )
    if spec.tied and HEAD in weights:
        if not _same(weights.pop(HEAD).T, weights.get(EMBEDDINGS)):
            raise SettingError(f"its {PUBLIC_HEAD} is another than its tokens' vectors: set tied = false")
        yield PUBLIC_HEAD, REPEATED


def _same(one: np.ndarray, other: np.ndarray | None) -> bool:
    """NumPy does not compare numbers of bfloat16, a record to it, with those of another type."""
    return other is not None and one.dtype == other.dtype and np.array_equal(one, other)


def _require_frequencies(spec: Any, array: np.ndarray) -> None:
    """Of a file that tells by which angles its model turns."""
    ours = spec.angles[1]
    if array.shape != ours.shape or not np.allclose(array, ours, rtol=AS_FREQUENCIES, atol=0):
        raise SettingError(
            f"its inv_freq are not of rotary_base {spec.rotary_base:g} and {spec.heads} heads: set both as its "
            "config.json has rope_theta and num_attention_heads"
        )
