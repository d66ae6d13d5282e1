"""MNIST (LeCun, Cortes, Burges): 60 000 + 10 000 handwritten digits of 28x28 pixels."""

from __future__ import annotations

from pathlib import Path

from harness.datasets import idx
from harness.datasets.base import Array, OfficialFile

LOCATION = "https://storage.googleapis.com/cvdf-datasets/mnist/"


def _file(name: str, size_bytes: int, sha256: str) -> OfficialFile:
    return OfficialFile(name, LOCATION + name, sha256, size_bytes)


class Mnist:
    name = "mnist"
    title = "MNIST, official files"
    # Sizes and SHA-256 as in tensorflow/datasets, url_checksums/mnist.txt
    files = (
        _file(
            "train-images-idx3-ubyte.gz",
            9912422,
            "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
        ),
        _file(
            "train-labels-idx1-ubyte.gz",
            28881,
            "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
        ),
        _file(
            "t10k-images-idx3-ubyte.gz",
            1648877,
            "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
        ),
        _file(
            "t10k-labels-idx1-ubyte.gz",
            4542,
            "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
        ),
    )

    def arrays(self, folder: Path) -> dict[str, Array]:
        return idx.like_mnist(self.name, [folder / file.name for file in self.files])


SOURCE = Mnist()
