"""A toy whose stage has parts: it takes in the beginnings of rows (prefill), and goes on with them (decode)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suite.spec import Arrays, Spec
from suite.task import SAMPLE, TRAIN, Direction, Metric

WORDS = 7
GENERATE, PREFILL, DECODE = "generate", "prefill", "decode"
PERPLEXITY = Metric("perplexity", "perplexity", Direction.LOWER)
CONTINUATION = Metric("continuation", "share of the text's own tokens")


@dataclass(frozen=True)
class Reciter(Spec):
    """Each token is the one before it and the row's first, modulo the vocabulary."""

    name = "reciter"
    title = "Rows that go on by a rule"
    source = "none"
    datasets = ("rows",)
    stages = (TRAIN, GENERATE)
    parts = {GENERATE: (PREFILL, DECODE)}  # noqa: RUF012
    metrics = (PERPLEXITY, CONTINUATION)
    units = (SAMPLE, "token", "prompt_token", "generated_token")
    quality_floor = {"rows": float(WORDS)}  # noqa: RUF012

    requests: int = 6
    prompt_tokens: int = 4
    new_tokens: int = 3
    predict_batch_size: int = 2

    def initial_weights(self, seed: int) -> Arrays:
        return {"rule/kernel": np.ones((1, 1))}

    def inputs(self, raw: Arrays, dtype: str) -> Arrays:
        return raw

    def metrics_of(self, stage: str) -> tuple[Metric, ...]:
        return (CONTINUATION,) if stage == GENERATE else (PERPLEXITY,)

    def units_of(self, stage: str) -> tuple[str, ...]:
        return (SAMPLE, "prompt_token", "generated_token") if stage == GENERATE else (SAMPLE, "token")

    def answered(self, samples: int, stage: str) -> int:
        return self.requests if stage == GENERATE else samples

    def counted(self, data: Arrays, rows: np.ndarray, outputs: Arrays | None = None) -> dict[str, int]:
        """Decoding makes all new tokens but the first, which comes from the prefill."""
        each = {
            SAMPLE: 1,
            "token": data["x"].shape[1],
            "prompt_token": self.prompt_tokens,
            "generated_token": self.new_tokens - 1,
        }
        return {unit: rows.size * work for unit, work in each.items()}

    def examples(self, count: int, seed: int) -> Arrays:
        first = np.random.default_rng(seed).integers(1, WORDS, (count, 1))
        return {"x": first * np.arange(1, self.prompt_tokens + self.new_tokens + 1) % WORDS}

    def evaluate(self, data: Arrays, outputs: Arrays) -> dict[str, float]:
        wanted = data["x"][:, self.prompt_tokens :][:, : self.new_tokens]
        return {CONTINUATION.name: float((outputs["tokens"] == wanted).mean())}


SPEC = Reciter()
