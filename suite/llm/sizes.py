"""Sizes of decoder-only transformers that people know, each as settings of the spec."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LLAMA, GPT2 = "llama", "gpt2"
FORMS = (LLAMA, GPT2)

SIZES: Mapping[str, Mapping[str, Any]] = {
    "tiny": {
        "form": LLAMA, "layers": 2, "width": 64, "heads": 4, "kv_heads": 2, "inner": 192, "vocabulary": 8192,
        "context": 96, "prompt_tokens": 48,
        "new_tokens": 48, "tied": True, "rotary_base": 10_000.0,
    },
    "10m": {
        "form": LLAMA, "layers": 8, "width": 256, "heads": 8, "kv_heads": 4, "inner": 704, "vocabulary": 8192,
        "context": 256,
        "prompt_tokens": 128, "new_tokens": 64, "tied": False, "rotary_base": 10_000.0,
    },
    # GPT-2 small (Radford et al. 2019)
    "124m": {
        "form": GPT2, "layers": 12, "width": 768, "heads": 12, "kv_heads": 12, "inner": 3072, "vocabulary": 50_257,
        "context": 1024,
        "prompt_tokens": 512, "new_tokens": 128, "tied": True, "rotary_base": 10_000.0,
    },
    # TinyLlama 1.1B (Zhang et al. 2024)
    "1b": {
        "form": LLAMA, "layers": 22, "width": 2048, "heads": 32, "kv_heads": 4, "inner": 5632, "vocabulary": 32_000,
        "context": 2048,
        "prompt_tokens": 512, "new_tokens": 128, "tied": False, "rotary_base": 10_000.0,
    },
    # Llama 3 8B (Grattafiori et al. 2024)
    "8b": {
        "form": LLAMA, "layers": 32, "width": 4096, "heads": 32, "kv_heads": 8, "inner": 14_336, "vocabulary": 128_256,
        "context": 8192,
        "prompt_tokens": 512, "new_tokens": 128, "tied": False, "rotary_base": 500_000.0,
    },
}  # fmt: skip
