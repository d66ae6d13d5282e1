"""Language models as Llama and GPT-2 are published: names, shapes and formulas, written apart from suite/."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

Tensors = dict[str, np.ndarray]
VOCABULARY, CONTEXT, WIDTH, INNER, LAYERS, HEADS = 31, 12, 16, 20, 2, 4
KV_HEADS = 2  # of Llama
ROTARY_BASE, EPSILON = 500.0, 1e-5
LLAMA = {"form": "llama", "kv_heads": KV_HEADS, "tied": False, "rotary_base": ROTARY_BASE}
GPT2 = {"form": "gpt2", "kv_heads": HEADS, "tied": True}
SIZES = {
    "vocabulary": VOCABULARY, "context": CONTEXT, "width": WIDTH, "inner": INNER, "layers": LAYERS, "heads": HEADS,
    "prompt_tokens": 5, "new_tokens": 6,
}  # fmt: skip


def llama(seed: int = 1) -> Tensors:
    """[out, in]."""
    return _numbers(seed, dict(_llama()))


def gpt2(seed: int = 1) -> Tensors:
    """[in, out]; its last product has no tensor."""
    return _numbers(seed, dict(_gpt2()))


def _llama() -> Iterator[tuple[str, tuple[int, ...]]]:
    few = WIDTH * KV_HEADS // HEADS
    yield "model.embed_tokens.weight", (VOCABULARY, WIDTH)
    for number in range(LAYERS):
        at = f"model.layers.{number}."
        yield f"{at}input_layernorm.weight", (WIDTH,)
        for name, wide in (("q", WIDTH), ("k", few), ("v", few), ("o", WIDTH)):
            yield f"{at}self_attn.{name}_proj.weight", (wide, WIDTH)
        yield f"{at}post_attention_layernorm.weight", (WIDTH,)
        for name, shape in (("gate", (INNER, WIDTH)), ("up", (INNER, WIDTH)), ("down", (WIDTH, INNER))):
            yield f"{at}mlp.{name}_proj.weight", shape
    yield "model.norm.weight", (WIDTH,)
    yield "lm_head.weight", (VOCABULARY, WIDTH)


def _gpt2() -> Iterator[tuple[str, tuple[int, ...]]]:
    yield "transformer.wte.weight", (VOCABULARY, WIDTH)
    yield "transformer.wpe.weight", (CONTEXT, WIDTH)
    products = {
        "attn.c_attn": (WIDTH, 3 * WIDTH), "attn.c_proj": (WIDTH, WIDTH), "mlp.c_fc": (WIDTH, INNER),
        "mlp.c_proj": (INNER, WIDTH),
    }  # fmt: skip
    for number in range(LAYERS):
        at = f"transformer.h.{number}."
        for name, shape in ({"ln_1": (WIDTH,), "ln_2": (WIDTH,)} | products).items():
            yield f"{at}{name}.weight", shape
            yield f"{at}{name}.bias", shape[-1:]
    yield "transformer.ln_f.weight", (WIDTH,)
    yield "transformer.ln_f.bias", (WIDTH,)


def _numbers(seed: int, shapes: Mapping[str, tuple[int, ...]]) -> Tensors:
    """float32, no two alike."""
    generator = np.random.default_rng(seed)
    return {name: generator.normal(0.0, 0.6, shape).astype(np.float32) for name, shape in shapes.items()}


def logits(tensors: Tensors, tokens: list[int]) -> np.ndarray:
    """[tokens, vocabulary], by the tensors as they are named and lie there."""
    wide = {name: array.astype(np.float64) for name, array in tensors.items()}
    return _llama_logits(wide, tokens) if "model.norm.weight" in wide else _gpt2_logits(wide, tokens)


def _llama_logits(t: Tensors, tokens: list[int]) -> np.ndarray:
    def normed(name: str, x: np.ndarray) -> np.ndarray:
        return x * (np.square(x).mean(-1, keepdims=True) + EPSILON) ** -0.5 * t[f"{name}.weight"]

    x = t["model.embed_tokens.weight"][tokens]
    for number in range(LAYERS):
        at = f"model.layers.{number}."
        y = normed(f"{at}input_layernorm", x)
        q, k, v = (
            np.stack(np.split(y @ t[f"{at}self_attn.{name}_proj.weight"].T, heads, -1))
            for name, heads in (("q", HEADS), ("k", KV_HEADS), ("v", KV_HEADS))
        )
        k, v = (np.repeat(one, HEADS // KV_HEADS, axis=0) for one in (_rotated(k), v))
        x = x + _attended(_rotated(q), k, v) @ t[f"{at}self_attn.o_proj.weight"].T
        y = normed(f"{at}post_attention_layernorm", x)
        gate, up = (y @ t[f"{at}mlp.{name}_proj.weight"].T for name in ("gate", "up"))
        x = x + (gate / (1 + np.exp(-gate)) * up) @ t[f"{at}mlp.down_proj.weight"].T
    return normed("model.norm", x) @ t["lm_head.weight"].T


def frequencies() -> np.ndarray:
    return ROTARY_BASE ** -(np.arange(0, WIDTH // HEADS, 2) / (WIDTH // HEADS))


def _rotated(x: np.ndarray) -> np.ndarray:
    """[heads, tokens, width]: the published way, x * cos + rotate_half(x) * sin."""
    angles = np.outer(np.arange(x.shape[1]), np.tile(frequencies(), 2))
    first, second = np.split(x, 2, axis=-1)
    return x * np.cos(angles) + np.concatenate([-second, first], axis=-1) * np.sin(angles)


def _gpt2_logits(t: Tensors, tokens: list[int]) -> np.ndarray:
    def normed(name: str, x: np.ndarray) -> np.ndarray:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt(np.square(centred).mean(-1, keepdims=True) + EPSILON)
        return scaled * t[f"{name}.weight"] + t[f"{name}.bias"]

    def product(name: str, x: np.ndarray) -> np.ndarray:
        return x @ t[f"{name}.weight"] + t[f"{name}.bias"]

    x = t["transformer.wte.weight"][tokens] + t["transformer.wpe.weight"][: len(tokens)]
    for number in range(LAYERS):
        at = f"transformer.h.{number}."
        together = product(f"{at}attn.c_attn", normed(f"{at}ln_1", x))
        q, k, v = (np.stack(np.split(one, HEADS, -1)) for one in np.split(together, 3, -1))
        x = x + product(f"{at}attn.c_proj", _attended(q, k, v))
        up = product(f"{at}mlp.c_fc", normed(f"{at}ln_2", x))
        gelu = 0.5 * up * (1 + np.tanh((2 / np.pi) ** 0.5 * (up + 0.044715 * up**3)))
        x = x + product(f"{at}mlp.c_proj", gelu)
    return normed("transformer.ln_f", x) @ t["transformer.wte.weight"].T


def _attended(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """[heads, tokens, width] -> [tokens, heads * width]; the bias of keys is in k."""
    scores = q @ k.swapaxes(1, 2) / q.shape[2] ** 0.5
    scores[:, np.triu(np.ones(scores.shape[1:], bool), 1)] = -np.inf
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    return np.concatenate(list(shares / shares.sum(-1, keepdims=True) @ v), axis=-1)
