"""How the threads of a pool wait for work: asleep, in every framework. Imported before any library that has a pool.

OpenMP's, which PyTorch and scikit-learn use, else turn in circles for milliseconds after each call: five times the CPU
time of small steps, at no gain in time (docs/equal-work.md). Those of TensorFlow and JAX fall asleep by themselves.
"""

from __future__ import annotations

import os

POLICY = {
    "OMP_WAIT_POLICY": "passive",
    "OPENBLAS_THREAD_TIMEOUT": "4",  # 2^4 cycles, the least that OpenBLAS takes
}

os.environ.update(POLICY)  # read when the libraries are loaded
