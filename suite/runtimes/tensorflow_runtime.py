"""TensorFlow: threads, precision, memory, facts. Keras runs on it and shares this file's settings."""

from __future__ import annotations

import os
from typing import Any

from suite.runtimes import waiting  # sets the variables of OpenBLAS before NumPy loads it

# isort: split
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # read when the library is loaded
os.environ.setdefault("ABSL_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf


def configure(threads: int, device: str) -> None:
    """Sets the counts of both thread pools; raises RuntimeError if a GPU is asked for and none is visible."""
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(1)  # else operations side by side exceed `threads`
    gpus = tf.config.list_physical_devices("GPU")
    if device == "cuda" and not gpus:
        raise RuntimeError("device cuda asked for, but TensorFlow sees no GPU")
    if device == "cpu":
        tf.config.set_visible_devices([], "GPU")
    for gpu in gpus:
        tf.config.experimental.set_memory_growth(
            gpu, True
        )  # rule R20b: else the memory read is the reservation
    # TF32 keeps 10 bits of the mantissa: not the float32 that the other frameworks are asked for.
    tf.config.experimental.enable_tensor_float_32_execution(False)


def facts() -> dict[str, Any]:
    build = tf.sysconfig.get_build_info()
    return {
        "framework": "tensorflow",
        "version": tf.__version__,
        "libraries": {"numpy": np.__version__},
        "build": {
            "cuda": build.get("cuda_version"),
            "cudnn": build.get("cudnn_version"),
            "onednn": os.environ.get("TF_ENABLE_ONEDNN_OPTS", "default"),
        },
        "waiting": dict(waiting.POLICY),
        "threads": tf.config.threading.get_intra_op_parallelism_threads(),
        "devices": [device.name for device in tf.config.list_logical_devices()],
    }


def gpu_memory_peak_bytes() -> int | None:
    if not tf.config.list_logical_devices("GPU"):
        return None
    return int(tf.config.experimental.get_memory_info("GPU:0")["peak"])
