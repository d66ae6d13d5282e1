"""PyTorch: threads, precision, facts."""

from __future__ import annotations

from typing import Any

from suite.runtimes import waiting  # sets the variables of OpenMP before PyTorch loads it

# isort: split
import numpy as np
import torch


def configure(threads: int, device: str) -> None:
    """Sets the counts of both thread pools; raises RuntimeError if a GPU is asked for and none is visible."""
    torch.set_num_threads(threads)
    torch.set_num_interop_threads(1)
    if device == "cuda" and not torch.cuda.is_available():
        raise RuntimeError("device cuda asked for, but PyTorch sees no GPU")
    # TF32 keeps 10 bits of the mantissa: not the float32 that the other frameworks are asked for.
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False


def facts() -> dict[str, Any]:
    return {
        "framework": "torch",
        "version": torch.__version__,
        "libraries": {"numpy": np.__version__},
        "build": {
            "cuda": torch.version.cuda,
            "cudnn": torch.backends.cudnn.version(),
            "mkl": torch.backends.mkl.is_available(),
            "onednn": torch.backends.mkldnn.is_available(),
            "cpu_capability": torch.backends.cpu.get_cpu_capability(),
        },
        "waiting": dict(waiting.POLICY),
        "threads": torch.get_num_threads(),
        "devices": _devices(),
    }


def gpu_memory_peak_bytes() -> int | None:
    return torch.cuda.max_memory_allocated() if torch.cuda.is_initialized() else None


def _devices() -> list[str]:
    return ["cpu", *(torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count()))]
