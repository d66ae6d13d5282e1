"""Keras on its TensorFlow backend: TensorFlow's runtime with Keras' own facts."""

from __future__ import annotations

import os
from typing import Any

os.environ["KERAS_BACKEND"] = "tensorflow"  # read when Keras is imported; a user's file must not change it

from suite.runtimes import tensorflow_runtime  # sets TensorFlow's variables before Keras loads it

# isort: split
from suite.runtimes.keras_facts import keras_facts


def configure(threads: int, device: str) -> None:
    """As TensorFlow's; raises RuntimeError if a GPU is asked for and none is visible."""
    tensorflow_runtime.configure(threads, device)


def facts() -> dict[str, Any]:
    return keras_facts("keras", tensorflow_runtime.facts())


def gpu_memory_peak_bytes() -> int | None:
    return tensorflow_runtime.gpu_memory_peak_bytes()
