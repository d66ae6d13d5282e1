"""How near is writing token by token, at batch 1, to what memory gives? Each token reads all weights and the cache.

python -m tests.bench.decode_bandwidth [FRAMEWORK | SETTING=VALUE]...

One process for each framework, on all CPUs of this process, or on one, as tests.bench.throughput. NumPy's product of a
long vector with itself, as large as the weights, tells what memory gives; both take turns. Of a token are counted the
weights, as all but the embedding of positions are read, and the cache up to the middle of what is written. Prints a
table in Markdown.
"""

from __future__ import annotations

import statistics
import sys
from math import prod
from typing import Any

from harness.environments.frameworks import frameworks
from harness.inventory import catalog
from suite.llm.parts import DECODE
from tests.bench.idioms import MEMORY
from tests.bench.throughput import settings_of, speeds

GPT2_SMALL = {"size": "124m", "predict_batch_size": 1, "requests": 1, "prompt_tokens": 128, "new_tokens": 33}


def main(wanted: list[str]) -> None:
    print("| framework | MB a token | memory, GB/s | limit, tokens/s | decode, tokens/s | of the limit |")
    print("|---|---|---|---|---|---|")
    settings = {**GPT2_SMALL, **settings_of(wanted)}
    spec = catalog.workload("llm").spec.with_settings(settings)
    for name in catalog.workload("llm").frameworks:
        if name in (frameworks().keys() & set(wanted) or frameworks()):
            print(row(name, bytes_of_a_token(spec), speeds("llm", MEMORY, name, settings)), flush=True)


def bytes_of_a_token(spec: Any) -> int:
    """In float32."""
    weights = sum(prod(shape) for name, shape in spec.shapes.items() if name != "positions/embeddings")
    kept = 2 * spec.layers * spec.kv_heads * spec.head_width
    return 4 * (weights + kept * (spec.prompt_tokens + spec.new_tokens // 2))


def row(name: str, of_a_token: int, found: dict[str, list[float]]) -> str:
    """`found`: bytes per second of memory, and tokens per second, of each round."""
    memory, decode = found[MEMORY], found[DECODE]
    shares = [own * of_a_token / most for own, most in zip(decode, memory, strict=True)]
    speed = statistics.median(memory)
    return (
        f"| {name} | {of_a_token / 1e6:.0f} | {speed / 1e9:.1f} | {speed / of_a_token:.1f} "
        f"| {statistics.median(decode):.1f} | {statistics.median(shares):.2f} |"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
