"""The update rules for frameworks without optimisers of their own, on any arrays that have operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from suite.neural import NeuralSpec

SLOTS = {"sgd": ("velocity",), "adam": ("first", "second")}  # what each keeps of every weight, 0 at first


def first_share(spec: NeuralSpec) -> float:
    """Of the gradient, which is in the first slot after one step."""
    return 1 - spec.beta1 if spec.optimizer == "adam" else 1.0


def update(
    spec: NeuralSpec,
    sqrt: Callable[[Any], Any],
    slots: tuple[Any, ...],
    gradient: Any,
    power: tuple[Any, Any],
) -> tuple[Any, tuple[Any, ...]]:
    """What is taken off a weight, and the new slots; `power`: beta1 and beta2 to the number of steps, for adam."""
    if spec.optimizer == "sgd":
        velocity = spec.momentum * slots[0] + gradient
        return spec.learning_rate * velocity, (velocity,)
    first = spec.beta1 * slots[0] + (1 - spec.beta1) * gradient
    second = spec.beta2 * slots[1] + (1 - spec.beta2) * gradient * gradient
    scaled = first / (1 - power[0])
    return spec.learning_rate * scaled / (sqrt(second / (1 - power[1])) + spec.epsilon), (first, second)
