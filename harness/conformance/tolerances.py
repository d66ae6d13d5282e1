"""How far an implementation may be from the reference, by precision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

FLOAT64, FLOAT32 = "float64", "float32"
DTYPES = (FLOAT64, FLOAT32)


@dataclass(frozen=True)
class Tolerance:
    """Largest differences: losses relative, the others relative to the array's largest magnitude.

    `first_loss` is that of step 0, `early_losses` are those of the first steps of plain SGD.
    """

    logits: float
    gradients: float
    first_loss: float
    early_losses: float
    losses: float
    params: float


# Measured in float64: logits 2e-15, gradients 2e-15, losses 3e-15. In float32 training amplifies rounding, in every
# framework alike: only a smoke test.
DEFAULTS = {
    FLOAT64: Tolerance(
        logits=1e-12, gradients=1e-10, first_loss=1e-12, early_losses=1e-12, losses=1e-12, params=1e-10
    ),
    FLOAT32: Tolerance(
        logits=1e-5, gradients=1e-5, first_loss=2e-6, early_losses=1e-5, losses=1e-4, params=1e-3
    ),
}
# Keras on TensorFlow passes its hyper-parameters and its momentum through float32: measured 4e-8.
KERAS = {FLOAT64: replace(DEFAULTS[FLOAT64], early_losses=1e-7, losses=1e-7, params=1e-6)}


def tolerance(framework: str, dtype: str, wider: Mapping[tuple[str, str], Mapping[str, float]]) -> Tolerance:
    """`wider`: what the workload's spec allows besides, with its reason there."""
    found = {**DEFAULTS, **KERAS}[dtype] if framework == "keras" else DEFAULTS[dtype]
    return replace(found, **wider.get((framework, dtype), {}))
