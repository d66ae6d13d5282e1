"""A run of tokens as windows of the same length, side by side; what text is too short, or has too many tokens."""

from __future__ import annotations

from typing import Any

import numpy as np

from suite.spec import Arrays, SettingError

TOKENS = {"wikitext-103-bpe": 8192, "wikitext-2-bpe": 8192, "synthetic-wikitext": 1000}  # of a data set


def cut(spec: Any, tokens: np.ndarray, split: str) -> Arrays:
    """x [n, context + 1], the last token as a target alone.

    Raises: SettingError where no batch can be made of it, or the vocabulary lacks a token.
    """
    firsts = _firsts(spec, len(tokens))
    if (most := int(tokens.max(initial=0)) + 1) > spec.vocabulary:
        raise SettingError(f"{spec.name}: vocabulary must be at least {most}, of the {split} text's tokens")
    if reason := _too_short(spec, split, len(firsts)):
        raise SettingError(f"{spec.name}: {reason}")
    return {"x": np.lib.stride_tricks.sliding_window_view(tokens, spec.context + 1)[firsts]}


def unfit_to_train(spec: Any, tokens: int) -> str:
    """Why a training text of so many tokens is; empty where it is not."""
    if spec.vocabulary < (least := TOKENS[spec.dataset or spec.datasets[0]]):
        return f"vocabulary is {spec.vocabulary}, the data set has {least} tokens"
    return _too_short(spec, "train", len(_firsts(spec, tokens)))


def unfit_to_test(spec: Any, tokens: int) -> str:
    return _too_short(spec, "test", len(_firsts(spec, tokens)))


def made_up(spec: Any, count: int, seed: int) -> Arrays:
    """Half of the tokens follow from the one before them."""
    generator = np.random.default_rng(seed)
    x = generator.integers(spec.vocabulary, size=(count, spec.context + 1))
    follows = generator.random(x.shape) < 0.5
    for place in range(1, spec.context + 1):
        x[:, place] = np.where(follows[:, place], x[:, place - 1] * 7 % spec.vocabulary, x[:, place])
    return {"x": x}


def _firsts(spec: Any, tokens: int) -> np.ndarray:
    """Where the windows begin."""
    return np.arange(0, tokens - spec.context, spec.context)


def _too_short(spec: Any, split: str, windows: int) -> str:
    wanted = spec.batch_size if split == "train" else 1
    if windows >= wanted:
        return ""
    lower = "context or batch_size" if wanted > 1 else "context"
    return (
        f"the {split} text has {windows} windows of {spec.context} tokens, it takes at least {wanted}: "
        f"set {lower} lower"
    )
