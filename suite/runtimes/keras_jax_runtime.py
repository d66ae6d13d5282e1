"""Keras on its JAX backend: JAX's runtime with Keras' own facts."""

from __future__ import annotations

import os
from typing import Any

os.environ["KERAS_BACKEND"] = "jax"  # read when Keras is imported; a user's file must not change it

from suite.runtimes import jax_runtime  # sets XLA's variables before Keras loads it

# isort: split
from suite.runtimes.keras_facts import keras_facts


def configure(threads: int, device: str) -> None:
    """As JAX's; raises RuntimeError if a GPU is asked for and none is visible."""
    jax_runtime.configure(threads, device)


def facts() -> dict[str, Any]:
    return keras_facts("keras-jax", jax_runtime.facts())


def gpu_memory_peak_bytes() -> int | None:
    return jax_runtime.gpu_memory_peak_bytes()
