"""Keras on its PyTorch backend: PyTorch's runtime with Keras' own facts."""

from __future__ import annotations

import importlib
import os
from typing import Any

from suite.runtimes import torch_runtime

os.environ["KERAS_BACKEND"] = "torch"  # read when Keras is imported; a user's file must not change it


def configure(threads: int, device: str) -> None:
    """As PyTorch's; raises RuntimeError if a GPU is asked for and none is visible."""
    torch_runtime.configure(threads, device)
    os.environ["KERAS_TORCH_DEVICE"] = device  # read when Keras is imported: else it takes any GPU it sees
    importlib.import_module("keras")


def facts() -> dict[str, Any]:
    from suite.runtimes.keras_facts import keras_facts

    return keras_facts("keras-torch", torch_runtime.facts())


def gpu_memory_peak_bytes() -> int | None:
    return torch_runtime.gpu_memory_peak_bytes()
