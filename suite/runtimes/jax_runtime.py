"""JAX: threads, precision, memory, facts."""

from __future__ import annotations

import os
from typing import Any

from suite.runtimes import waiting  # sets the variables of OpenBLAS before NumPy loads it

# isort: split
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # read when XLA is loaded
os.environ.setdefault(
    "XLA_PYTHON_CLIENT_PREALLOCATE", "false"
)  # rule R20b: else the memory read is the reservation

import jax
import jaxlib
import numpy as np


def configure(threads: int, device: str) -> None:
    """Sets the size of XLA's thread pools; raises RuntimeError if a GPU is asked for and none is visible."""
    os.environ["PJRT_NPROC"] = str(threads)  # read when the back end starts; JAX has no call for it
    if device == "cpu":
        jax.config.update("jax_platforms", "cpu")
    elif jax.default_backend() != "gpu":
        raise RuntimeError("device cuda asked for, but JAX sees no GPU")
    # Else products on a GPU are rounded to TF32, which keeps 10 bits of the mantissa.
    jax.config.update("jax_default_matmul_precision", "highest")


def facts() -> dict[str, Any]:
    return {
        "framework": "jax",
        "version": jax.__version__,
        "libraries": {"numpy": np.__version__, "jaxlib": jaxlib.__version__},
        "build": {"xla": jax.devices()[0].client.platform_version},
        "waiting": dict(waiting.POLICY),
        "threads": int(os.environ["PJRT_NPROC"]),
        "devices": [device.device_kind for device in jax.devices()],
    }


def gpu_memory_peak_bytes() -> int | None:
    try:
        return (jax.devices()[0].memory_stats() or {}).get("peak_bytes_in_use")
    except jax.errors.JaxRuntimeError:  # a platform that counts nothing
        return None
