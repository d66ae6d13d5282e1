"""A convolutional network that finds parasites in blood cells: every number of the workload."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suite.image_classifier import ImageClassifier
from suite.spec import Profile, Spread

SHAPES = {
    "conv1/kernel": (3, 3, 3, 16),  # each convolution: 'same' padding, ReLU, max-pool 2x2
    "conv1/bias": (16,),
    "conv2/kernel": (3, 3, 16, 32),
    "conv2/bias": (32,),
    "conv3/kernel": (3, 3, 32, 64),
    "conv3/bias": (64,),
    "hidden/kernel": (8 * 8 * 64, 64),  # ReLU
    "hidden/bias": (64,),
    "output/kernel": (64, 2),  # softmax cross-entropy, mean over the batch
    "output/bias": (2,),
}


@dataclass(frozen=True)
class MalariaCnn(ImageClassifier):
    """The source names a binary CNN and the data set, not its layers nor the size of its images; ours are here.

    Two logits under softmax are one under a sigmoid: the loss depends on their difference alone.
    """

    name = "malaria_cnn"
    title = "Three-layer CNN on blood cells with and without malaria"
    source = "Ajel et al. 2023"
    datasets = ("malaria", "synthetic-malaria")
    shapes, image, classes = SHAPES, (64, 64, 3), 2
    profiles = {  # noqa: RUF012 - a ClassVar of the base
        "quick": Profile(("synthetic-malaria",), {"epochs": 1, "batch_size": 32})
    }
    quality_floor = {"malaria": 0.85, "synthetic-malaria": 0.9}  # noqa: RUF012
    spread = Spread(start=6e-3, tenfold_steps=40, losses=0.2, answers=2.0)
    # In the proof's small batches of stark images the workload's own rate makes a wild second step.
    proof_settings = {"learning_rate": 0.0012}  # noqa: RUF012

    epochs: int = 10
    batch_size: int = 32
    predict_batch_size: int = 128
    infer_passes: int = 4
    learning_rate: float = 0.02

    def features(self, x: np.ndarray) -> np.ndarray:
        """uint8 [n, 64, 64, 3] -> float64 of the same shape from -0.5 to 0.5."""
        return x / 255.0 - 0.5


SPEC = MalariaCnn()
