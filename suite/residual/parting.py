"""How soon sound trainings of a ResNet part in float32, by its depth.

A value within rounding of 0 passes a ReLU in one framework and not in another, and a sum over all pixels nearly
cancels. In 8 steps of 11 layers that grows tenfold; in 8 of 50, measured in float64, a million times. So a deeper one
is held together for one step, and its settings are proven on 11 layers, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from suite.neural import NeuralSpec

SHALLOW = 11  # layers, which quick profiles and proofs have
# Measured with 50 layers, batches of 32, on two cores: losses of step 0 8.5e-6 apart, what one step moved 0.12, means
# of epochs 0.17.
DEEP = {"first_loss": 2e-5, "epoch_loss": 0.5}

Bounds = Mapping[tuple[str, str], Mapping[str, float]]
# Than PyTorch, against which they are measured.
OTHERS = ("tensorflow", "keras", "keras-jax", "keras-torch", "jax")


def widened(given: Bounds, names: Iterable[str], wider: Mapping[str, float]) -> Bounds:
    """Those of kind own, of these frameworks."""
    return {**given, **{(name, "own"): {**given.get((name, "own"), {}), **wider} for name in names}}


class Parting(NeuralSpec):
    """A ResNet's spec, whose `depth` decides how it is proven.

    The last of a spec's bases: dataclasses take fields from the first, and this one brings NeuralSpec's again.
    """

    depth: int

    @property
    def comparable_steps(self) -> int | None:
        return 1 if self.depth > SHALLOW else None

    @property
    def proven_smaller(self) -> Mapping[str, Any]:
        return {"depth": SHALLOW} if self.depth > SHALLOW else {}

    def allowed_apart(self) -> Bounds:
        if self.depth <= SHALLOW:
            return self.tolerances
        return {key: {**given, **(DEEP if key[1] == "own" else {})} for key, given in self.tolerances.items()}
