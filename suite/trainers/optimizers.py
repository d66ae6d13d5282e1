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
    weight: Any,
    slots: tuple[Any, ...],
    gradient: Any,
    power: tuple[Any, Any],
    rate: Any = None,
) -> tuple[Any, tuple[Any, ...]]:
    """What is taken off a weight, and the new slots.

    `power`: beta1 and beta2 to the number of steps, for adam; `rate`: of this step, where the spec has a schedule.
    """
    rate = spec.learning_rate if rate is None else rate
    if spec.optimizer == "sgd":
        decayed = gradient + spec.weight_decay * weight if spec.weight_decay else gradient
        velocity = spec.momentum * slots[0] + decayed
        return rate * velocity, (velocity,)
    first = spec.beta1 * slots[0] + (1 - spec.beta1) * gradient
    second = spec.beta2 * slots[1] + (1 - spec.beta2) * gradient * gradient
    scaled = first / (1 - power[0])
    less = rate * scaled / (sqrt(second / (1 - power[1])) + spec.epsilon)
    return (less + rate * spec.weight_decay * weight if spec.weight_decay else less), (first, second)
