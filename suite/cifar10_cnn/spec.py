"""A convolutional network on small colour photographs: every number of the workload."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suite.image_classifier import ImageClassifier
from suite.spec import Profile, Spread

SHAPES = {
    "conv1/kernel": (3, 3, 3, 32),  # each convolution: 'same' padding, ReLU, max-pool 2x2
    "conv1/bias": (32,),
    "conv2/kernel": (3, 3, 32, 64),
    "conv2/bias": (64,),
    "conv3/kernel": (3, 3, 64, 128),
    "conv3/bias": (128,),
    "hidden/kernel": (4 * 4 * 128, 128),  # ReLU
    "hidden/bias": (128,),
    "output/kernel": (128, 10),  # softmax cross-entropy, mean over the batch
    "output/bias": (10,),
}


@dataclass(frozen=True)
class Cifar10Cnn(ImageClassifier):
    """The source names a CNN and the data set, not its layers; ours are documented here."""

    name = "cifar10_cnn"
    title = "Three-layer CNN on small colour photographs"
    source = "Ajel et al. 2023"
    datasets = ("cifar10", "synthetic-cifar10")
    shapes, image, classes = SHAPES, (32, 32, 3), 10
    profiles = {  # noqa: RUF012 - a ClassVar of the base
        "quick": Profile(("synthetic-cifar10",), {"epochs": 2, "batch_size": 32, "infer_passes": 8})
    }
    quality_floor = {"cifar10": 0.45, "synthetic-cifar10": 0.85}  # noqa: RUF012
    spread = Spread(start=1e-3, tenfold_steps=28, losses=0.3, answers=2.0)
    # In the proof's small batches of stark images the workload's own rate makes a wild second step.
    proof_settings = {"learning_rate": 0.002}  # noqa: RUF012

    epochs: int = 10
    batch_size: int = 64
    predict_batch_size: int = 128
    infer_passes: int = 4
    learning_rate: float = 0.02

    def features(self, x: np.ndarray) -> np.ndarray:
        """uint8 [n, 32, 32, 3] -> float64 of the same shape from -0.5 to 0.5."""
        return x / 255.0 - 0.5


SPEC = Cifar10Cnn()
