"""The functions of stacks: whose own time it was, whose it was with all that they called; pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from harness.attribution.looks import StackLooks

LEAST_SHARE = 0.01  # of the looks, as the published tables have it; the others together are one
OTHERS = "all others"
NOTHING = "no Python function"
NATIVE = "[native]"  # behind the name of what is compiled, and no Python
MORE = ";"  # between two frames of a stack, the outermost first


@dataclass(frozen=True)
class SeenFunctions:
    """StackLooks by the innermost function, of which `names` tells each kind's."""

    looks: StackLooks
    names: Sequence[str]


def innermost(t_ns: Sequence[int], stacks: Sequence[str], always: Container[str] = ()) -> SeenFunctions:
    """Each look's kind is its innermost function, where that was seen often enough, or is asked for by its name."""
    own = [name_of(stack.rpartition(MORE)[2]) for stack in stacks]
    counts = Counter(own)
    least = LEAST_SHARE * len(own)
    names = [name for name, count in counts.most_common() if count >= least or name in always]
    numbers = {name: number for number, name in enumerate(names)}
    kinds = np.array([numbers.get(name, len(names)) for name in own], np.int64)
    return SeenFunctions(StackLooks(np.array(t_ns, np.int64), kinds, len(names) + 1), [*names, OTHERS])


@lru_cache(1 << 16)  # the same ones come again and again
def name_of(frame: str) -> str:
    """As its users import it: relu (torch/nn/functional.py) is torch.nn.functional.relu; sgemm_ [native] libmkl.so."""
    name, _, file = frame.removesuffix(")").rpartition(" (")
    if not name:
        return frame or NOTHING
    if name.endswith(NATIVE):
        return f"{name} {file}".rstrip()
    file = file.removeprefix("<frozen ").rstrip(">")
    module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".").strip(".")
    return f"{module}.{name}" if module else name


def is_native(frame: str) -> bool:
    """Of a frame with its file, or of a function's name."""
    return f" {NATIVE} " in frame or frame.endswith(f" {NATIVE}")


def folded(stacks: Sequence[str], joules: np.ndarray) -> dict[str, float]:
    """Joules of each stack that was seen, functions by name: what flame graphs are drawn of."""
    found: dict[str, float] = {}
    for stack, one in zip(stacks, joules, strict=True):
        named = MORE.join(map(name_of, stack.split(MORE)))
        found[named] = found.get(named, 0.0) + float(one)
    return found
