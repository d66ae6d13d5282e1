"""What the specs of all networks trained by gradients have in common."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from suite import work
from suite.dropout import Site
from suite.spec import Arrays, SettingError, Spec
from suite.task import TRAIN

DEFAULT_MODE = "default"
OPTIMIZERS = ("sgd", "adam")
# fp32 is IEEE float32; tf32 lets a GPU round the factors of products to 10 bits; bf16 and fp16 compute in 16 bits and
# keep weights, their updates, statistics and the loss in float32.
PRECISIONS = ("fp32", "tf32", "bf16", "fp16")
STATISTICS = (
    "mean",
    "variance",
)  # last words of the names of what is not trained: batch normalisation's memory
FROZEN = ("frozen_gamma", "frozen_beta")  # nor is what stands for scale and shift, where it is frozen
KEPT_WIDE = ("gamma", "beta", *STATISTICS, *FROZEN)  # of batch normalisation, float32 in every precision


@dataclass(frozen=True)
class NeuralSpec(Spec):
    """A network trained by `optimizer`; of a classifier by softmax cross-entropy, mean over the batch.

    sgd, heavy-ball: v = momentum * v + g; w = w - rate * v, which every framework defines alike.
    adam, with epsilon after the corrections: w = w - rate * m' / (sqrt(v') + epsilon), m' = m / (1 - beta1^t).
    weight_decay: of sgd, g = g + decay * w before all else; of adam, w = w - rate * decay * w besides (AdamW); of the
    weights that the spec `decays`, which are all unless it says otherwise.
    clip_norm: all gradients times min(1, clip_norm / their common norm), where it is not 0.
    """

    beta1: ClassVar[float] = 0.9
    beta2: ClassVar[float] = 0.999
    epsilon: ClassVar[float] = 1e-7
    # Of fp16 alone: gradients below 6e-8 would vanish. The same for all frameworks, and constant.
    fp16_loss_scale: ClassVar[float] = 1024.0
    # Of the proof of equal work (suite.verify): where the spec's own would take too long, or hide something.
    proof_settings: ClassVar[Mapping[str, Any]] = {}
    proven_apart: ClassVar[tuple[str, ...]] = ()  # settings of whose values each makes another network

    optimizer: str = "sgd"
    learning_rate: float = 0.01
    momentum: float = 0.9
    weight_decay: float = 0.0
    clip_norm: float = 0.0
    predict_batch_size: int = 100
    mode: str = DEFAULT_MODE  # how the framework executes: one of its images/*/manifest.toml
    precision: str = "fp32"

    def __post_init__(self) -> None:
        for name, offered in (("optimizer", OPTIMIZERS), ("precision", PRECISIONS)):
            if getattr(self, name) not in offered:
                words = ", ".join(offered)
                raise SettingError(f"{self.name}: {name} must be one of {words}, not {getattr(self, name)!r}")
        for name in ("learning_rate", "weight_decay", "clip_norm"):
            check_range(self, name, at_least=0)

    def rates(self, first: int, steps: int) -> np.ndarray | None:
        """The learning rate of each step from `first` on, counted from 0; None where it is the same all along."""
        return None

    @property
    def comparable_steps(self) -> int | None:
        """After so many of float32 sound trainings have parted; None: not before a proof ends to compare them."""
        return None

    @property
    def proven_smaller(self) -> Mapping[str, Any]:
        """Settings of a network that does not part so soon, on which kind own proves all the others, too."""
        return {}

    def allowed_apart(self) -> Mapping[tuple[str, str], Mapping[str, float]]:
        """`tolerances`, and whatever these settings need besides."""
        return self.tolerances

    @property
    def micro_batches(self) -> int:
        """Into how many parts a step's batch is cut, in order; their gradients' mean is the batch's."""
        return 1

    def decays(self, name: str) -> bool:
        """Whether `weight_decay` is of the trained weight of this canonical name."""
        return True

    def of_weight(self, name: str) -> NeuralSpec:
        """By which the weight of this canonical name is updated."""
        return self if self.decays(name) else replace(self, weight_decay=0.0)

    def sites(self) -> Mapping[str, Site]:
        """Where training leaves out numbers, by name (suite.dropout): an implementation's `dropped` says when."""
        return {}

    @abstractmethod
    def examples(self, count: int, seed: int) -> Arrays:
        """Synthetic data as stored, [count, ...], for the proof of equal work: learnable, but never learnt."""

    def lasting(self, epochs: int, steps: int) -> NeuralSpec:
        """For a proof of so many steps: as long as its data make it, unless the spec itself says how long."""
        return self

    def layer_flops(self) -> Sequence[int]:
        """Floating point operations of each layer's products on one sample forward, the first layer first, even if 0.

        Empty where the spec does not tell them.
        """
        return ()

    def sample_flops(self, stage: str) -> int | None:
        layers = self.layer_flops()
        if not layers:
            return None
        return work.training(layers) if stage == TRAIN else sum(layers)

    @property
    def loss_scale(self) -> float:
        return self.fp16_loss_scale if self.precision == "fp16" else 1.0

    def narrow_dtype(self, dtype: str) -> str:
        """In which the layers compute, where the weights are of `dtype`."""
        return {"bf16": "bfloat16", "fp16": "float16"}.get(self.precision, dtype)


def check_range(
    spec: Spec, name: str, at_least: float, below: float = math.inf, up_to: float = math.inf
) -> None:
    """Raises: SettingError for a setting outside it."""
    value = getattr(spec, name)
    if not (at_least <= value < below and value <= up_to):
        words = [f"at least {at_least}"]
        words += [f"below {below}"] if below < math.inf else []
        words += [f"at most {up_to}"] if up_to < math.inf else []
        raise SettingError(f"{spec.name}: {name} must be {' and '.join(words)}, not {value}")


def unordered(moved: float) -> dict[tuple[str, str], dict[str, float]]:
    """Tolerances of what a GPU adds up in no fixed order, as cuDNN's convolutions: `train` from its own `step`.

    Measured on an H100 (docs/validation.md); 1 would be a training that leaves all weights as they were.
    """
    wider = {"train_moved": moved, "train_loss": moved / 10}
    return {("cuda", kind): wider for kind in ("long", "own")}


def trains(name: str) -> bool:
    """Whether an optimiser updates the array of this canonical name."""
    return name.rpartition("/")[2] not in (*STATISTICS, *FROZEN)


def narrows(name: str) -> bool:
    """Whether a layer takes the array in 16 bits, where it computes in 16."""
    return name.rpartition("/")[2] not in KEPT_WIDE


def he_normal(generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """For kernels [..., in, out] before a ReLU (He et al. 2015)."""
    return generator.normal(0.0, np.sqrt(2.0 / np.prod(shape[:-1])), shape)


def glorot_uniform(generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """For kernels [in, out] (Glorot and Bengio 2010)."""
    limit = np.sqrt(6.0 / (np.prod(shape[:-1]) + shape[-1]))
    return generator.uniform(-limit, limit, shape)
