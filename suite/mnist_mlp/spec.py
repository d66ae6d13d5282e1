"""A dense network on handwritten digits: every number of the workload."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suite.image_classifier import ImageClassifier
from suite.spec import Profile, Spread

SHAPES = {
    "hidden1/kernel": (28 * 28, 512),  # ReLU
    "hidden1/bias": (512,),
    "hidden2/kernel": (512, 512),  # ReLU
    "hidden2/bias": (512,),
    "output/kernel": (512, 10),  # softmax cross-entropy, mean over the batch
    "output/bias": (10,),
}


@dataclass(frozen=True)
class MnistMlp(ImageClassifier):
    """The source classifies MNIST without printing its layers; ours are documented here.

    Steps are short, so that what a framework spends beside the arithmetic weighs more than in a convolutional network.
    """

    name = "mnist_mlp"
    title = "Three-layer dense network on handwritten digits"
    source = "Ajel et al. 2023"
    datasets = ("mnist", "fashion_mnist", "digits")
    shapes, image, classes = SHAPES, (28, 28), 10
    profiles = {  # noqa: RUF012 - a ClassVar of the base
        "quick": Profile(("digits",), {"epochs": 20, "batch_size": 32, "infer_passes": 250})
    }
    quality_floor = {"mnist": 0.97, "fashion_mnist": 0.83, "digits": 0.95}  # noqa: RUF012
    spread = Spread(start=2e-3, tenfold_steps=28, losses=0.4, answers=0.6)

    epochs: int = 10
    batch_size: int = 128
    predict_batch_size: int = 120  # divides the 360 test digits, and nearly the 10 000 of MNIST
    infer_passes: int = 30
    learning_rate: float = 0.02

    def features(self, x: np.ndarray) -> np.ndarray:
        """uint8 [n, 28, 28] -> float64 [n, 784] from 0 to 1, row by row."""
        return x.reshape(len(x), -1) / 255.0


SPEC = MnistMlp()
