"""scikit-learn: threads and facts."""

from __future__ import annotations

from typing import Any

from suite.runtimes import waiting  # sets the variables of OpenMP and OpenBLAS before they are loaded

# isort: split
import joblib
import numpy as np
import scipy
import sklearn.svm  # loads the libraries whose threads `configure` sets
import threadpoolctl


def configure(threads: int, device: str) -> None:
    """Sets the threads of BLAS, OpenMP and of estimators side by side; raises RuntimeError if a GPU is asked for."""
    if device == "cuda":
        raise RuntimeError("device cuda asked for, but scikit-learn computes on the CPU only")
    threadpoolctl.threadpool_limits(threads)
    joblib.parallel_config(
        "threading", n_jobs=threads
    )  # from now on, for all that names no number of its own


def facts() -> dict[str, Any]:
    pools = threadpoolctl.threadpool_info()
    return {
        "framework": "sklearn",
        "version": sklearn.__version__,
        "libraries": {"numpy": np.__version__, "scipy": scipy.__version__, "joblib": joblib.__version__},
        "build": {pool["prefix"]: f"{pool['internal_api']} {pool['version']}" for pool in pools},
        "waiting": dict(waiting.POLICY),
        "threads": max(pool["num_threads"] for pool in pools),
        "devices": ["cpu"],
    }


def gpu_memory_peak_bytes() -> int | None:
    return None
