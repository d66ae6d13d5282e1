"""Fashion-MNIST (Xiao, Rasul, Vollgraf 2017): 60 000 + 10 000 pictures of clothes, 28x28 pixels, 10 classes."""

from __future__ import annotations

from pathlib import Path

from harness.datasets import idx
from harness.datasets.base import Array, OfficialFile
from harness.datasets.synthetic import SyntheticImages

LOCATION = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"


class FashionMnist:
    name = "fashion_mnist"
    title = "Fashion-MNIST, official files"
    # Sizes and SHA-256 as in tensorflow/datasets, url_checksums/fashion_mnist.txt
    files = (
        OfficialFile(
            "train-images-idx3-ubyte.gz",
            LOCATION + "train-images-idx3-ubyte.gz",
            "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
            26421880,
        ),
        OfficialFile(
            "train-labels-idx1-ubyte.gz",
            LOCATION + "train-labels-idx1-ubyte.gz",
            "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
            29515,
        ),
        OfficialFile(
            "t10k-images-idx3-ubyte.gz",
            LOCATION + "t10k-images-idx3-ubyte.gz",
            "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
            4422102,
        ),
        OfficialFile(
            "t10k-labels-idx1-ubyte.gz",
            LOCATION + "t10k-labels-idx1-ubyte.gz",
            "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
            5148,
        ),
    )

    def arrays(self, folder: Path) -> dict[str, Array]:
        return idx.like_mnist(self.name, [folder / file.name for file in self.files])


SOURCE = FashionMnist()
STAND_IN = SyntheticImages("fashion_mnist", idx.SHAPE, idx.CLASSES)
