"""Networks that may begin with weights from a file of somebody's training, in place of drawn ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from suite.neural import NeuralSpec
from suite.spec import SettingError

SHA256 = re.compile("[0-9a-f]{64}")
SHOWN, LONGEST = 3, 80  # names of tensors in a message, and characters of one


@dataclass(frozen=True)
class Pretrainable(NeuralSpec):
    """`pretrained`: the SHA-256 of the file, wherever it lies; "" for weights that are drawn from the seed."""

    pretrained: str = ""  # type: ignore[misc]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pretrained and not SHA256.fullmatch(self.pretrained):
            raise SettingError(
                f"{self.name}: pretrained must be a file's SHA-256, 64 digits of 0-9 and a-f, not {self.pretrained!r}"
            )


def shown(names: Sequence[str]) -> str:
    """Of tensors, for a message about a file of them."""
    words = ", ".join(repr(name[:LONGEST]) for name in sorted(names)[:SHOWN])
    return f"{words} and {len(names) - SHOWN} more" if len(names) > SHOWN else words
