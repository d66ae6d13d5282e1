"""What the specs of the small networks that classify images have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from suite import work
from suite.classifier import ClassifierSpec
from suite.neural import NeuralSpec, glorot_uniform, he_normal, unordered
from suite.spec import Arrays

POOL = 2  # pixels of a side over which every pooling takes the largest
CELL = 4  # pixels of a synthetic image that belong together
SHARE_LIT, LIT, NOISE = 0.15, 160, 64  # of 256 levels
SHARE_WRONG = 0.25


@dataclass(frozen=True)
class ImageClassifier(ClassifierSpec, NeuralSpec):
    """Activations are NHWC, kernels HWIO, and features are flattened in the order height, width, channel."""

    shapes: ClassVar[Mapping[str, tuple[int, ...]]]  # canonical name -> shape, in the order of the layers
    image: ClassVar[tuple[int, ...]]  # as stored: [height, width] or [height, width, channels]
    classes: ClassVar[int]
    tolerances = unordered(0.02)

    def initial_weights(self, seed: int) -> Arrays:
        """He-normal kernels where a ReLU follows, a Glorot-uniform last one, zero biases."""
        generator = np.random.default_rng(seed)
        last = [name for name in self.shapes if name.endswith("kernel")][-1]

        def initial(name: str, shape: tuple[int, ...]) -> np.ndarray:
            if name.endswith("bias"):
                return np.zeros(shape)
            return (glorot_uniform if name == last else he_normal)(generator, shape)

        return {name: initial(name, shape) for name, shape in self.shapes.items()}

    @property
    def given(self) -> tuple[int, ...]:
        """The shape of one sample's features."""
        return self.features(np.zeros((1, *self.image), np.uint8)).shape[1:]

    def layer_flops(self) -> list[int]:
        """Each convolution keeps height and width ('same' padding), and a pooling follows it."""
        rows, columns = self.image[:2]
        flops = []
        for shape in (shape for name, shape in self.shapes.items() if name.endswith("kernel")):
            if len(shape) == 4:
                flops.append(work.convolution(shape, rows, columns))
                rows, columns = rows // POOL, columns // POOL
            else:
                flops.append(work.product(shape))
        return flops

    def examples(self, count: int, seed: int) -> Arrays:
        """Synthetic raw images uint8 [count, *image] and labels [count] for the proof of equal work.

        Each class is a coarse pattern under noise, a quarter of the labels are wrong: learnable but never learnt,
        so that the compared gradients and losses stay away from zero.
        """
        generator = np.random.default_rng(seed)
        classes, others = generator.integers(0, self.classes, (2, count))
        height, width, *channels = self.image
        cells = generator.random((self.classes, height // CELL, width // CELL, *channels)) < SHARE_LIT
        patterns = LIT * cells.repeat(CELL, axis=1).repeat(CELL, axis=2)
        images = patterns[classes] + generator.integers(0, NOISE, (count, *self.image))
        wrong = generator.random(count) < SHARE_WRONG
        return {"x": images.astype(np.uint8), "y": np.where(wrong, others, classes)}
