"""CIFAR-100: 50 000 + 10 000 colour images of 32x32 pixels in 100 classes (the fine labels)."""

from __future__ import annotations

from harness.datasets.base import OfficialFile
from harness.datasets.cifar import LOCATION, SHAPE, Cifar
from harness.datasets.synthetic import SyntheticImages

CLASSES = 100
FOLDER = "cifar-100-python"

SOURCE = Cifar(
    name="cifar100",
    title="CIFAR-100, official archive (python version), fine labels",
    # SHA-256 as in keras-team/keras, datasets/cifar100.py
    archive=OfficialFile(
        "cifar-100-python.tar.gz",
        LOCATION + "cifar-100-python.tar.gz",
        "85cd44d02ba6437773c5bbd22e183051d648de2e7d6b014e1ef29b855ba677a7",
        169001437,
    ),
    train=(f"{FOLDER}/train",),
    test=f"{FOLDER}/test",
    labels=b"fine_labels",
    classes=CLASSES,
)
STAND_IN = SyntheticImages("cifar100", SHAPE, CLASSES)
