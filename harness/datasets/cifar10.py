"""CIFAR-10: 50 000 + 10 000 colour images of 32x32 pixels in 10 classes."""

from __future__ import annotations

from harness.datasets.base import OfficialFile
from harness.datasets.cifar import LOCATION, SHAPE, Cifar
from harness.datasets.synthetic import SyntheticImages

CLASSES = 10
FOLDER = "cifar-10-batches-py"

SOURCE = Cifar(
    name="cifar10",
    title="CIFAR-10, official archive (python version)",
    # SHA-256 as in keras-team/keras, datasets/cifar10.py
    archive=OfficialFile(
        "cifar-10-python.tar.gz",
        LOCATION + "cifar-10-python.tar.gz",
        "6d958be074577803d12ecdefd02955f39262c83c16fe9348329d7fe0b5c001ce",
        170498071,
    ),
    train=tuple(f"{FOLDER}/data_batch_{number}" for number in range(1, 6)),
    test=f"{FOLDER}/test_batch",
    labels=b"labels",
    classes=CLASSES,
)
STAND_IN = SyntheticImages("cifar10", SHAPE, CLASSES)
