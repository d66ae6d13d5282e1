"""How the threads of a pool wait for work, in every framework: soon asleep. Imported before any library with a pool.

OpenMP's, which PyTorch and scikit-learn use, else turn in circles for milliseconds after each call. Asleep at once,
they are woken for each of a thousand small operations of a step, which takes up to three times as long
(docs/equal-work.md). Those of TensorFlow and JAX fall asleep by themselves.
"""

from __future__ import annotations

import os

POLICY = {
    "OMP_WAIT_POLICY": "passive",
    "GOMP_SPINCOUNT": "2000",  # turns, some tenths of a millisecond, before GNU's OpenMP sleeps; read before the policy
    "OPENBLAS_THREAD_TIMEOUT": "4",  # 2^4 cycles, the least that OpenBLAS takes
}

os.environ.update(POLICY)  # read when the libraries are loaded
