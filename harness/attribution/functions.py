"""The functions of stacks: whose own time it was, whose it was with all that they called; pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import dropwhile, takewhile

import numpy as np

from harness.attribution.looks import StackLooks

LEAST_SHARE = 0.01  # of the looks, as the published tables have it; the others together are one
OTHERS = "all others"
NOTHING = "no Python function"
NATIVE = "[native]"  # behind the name of what is compiled, and no Python
UNKNOWN = "unknown"  # in place of the name of what is compiled and has none
MORE = ";"  # between two frames of a stack, the outermost first
# As libc.so.6, or before glibc 2.34 libc-2.31.so and ld-2.31.so.
C_LIBRARY = re.compile(
    rf"(?P<name>.*) {re.escape(NATIVE)} \((?:libc|libpthread|ld|ld-linux[\w-]*)(?:-\d[\d.]*)?\.so[\w.]*\)"
)
OPENMP = re.compile(rf".* {re.escape(NATIVE)} \(lib(?:gomp|omp|iomp5)(?:-\w+)?\.so[\w.]*\)")
# What a thread calls to wait for others, or for time to pass; by `syscall` C++ waits for a futex.
WAITS = re.compile(
    r"_*(?:syscall|futex\w*|pthread_(?:cond_\w*wait|mutex_\w*lock|rwlock_\w*lock|\w*join\w*)|sem_\w*wait"
    r"|usleep|p?poll|epoll_p?wait\d?|p?select|sched_yield)|\w*nanosleep"
)


@dataclass(frozen=True)
class SeenFunctions:
    """StackLooks by the innermost function, of which `names` tells each kind's."""

    looks: StackLooks
    names: Sequence[str]


def innermost(t_ns: Sequence[int], stacks: Sequence[str], always: Container[str] = ()) -> SeenFunctions:
    """Each look's kind is the function whose own time it was, where that was seen often enough, or is asked for."""
    own = [name_of(own_frame(stack)) for stack in stacks]
    counts = Counter(own)
    least = LEAST_SHARE * len(own)
    names = [name for name, count in counts.most_common() if count >= least or name in always]
    numbers = {name: number for number, name in enumerate(names)}
    kinds = np.array([numbers.get(name, len(names)) for name in own], np.int64)
    return SeenFunctions(StackLooks(np.array(t_ns, np.int64), kinds, len(names) + 1), [*names, OTHERS])


@lru_cache(1 << 16)  # the same ones come again and again
def own_frame(stack: str) -> str:
    """The innermost, but for those that tell nobody what is computed.

    What is in OpenMP's runtime, most of it a wait for the other threads, is its caller's; what waits in the C
    library is the Python function's, as where no native frames are seen; what has no name there is its caller's.
    """
    inwards = stack.split(MORE)[::-1]
    names = [match["name"] for match in takewhile(bool, map(C_LIBRARY.fullmatch, inwards)) if match]
    beneath = list(dropwhile(OPENMP.fullmatch, inwards[len(names) :]))
    if beneath and len(beneath) + len(names) < len(inwards):
        return beneath[0]
    if any(map(WAITS.fullmatch, names)):
        return next((frame for frame in inwards if not is_native(frame)), inwards[0])
    unnamed = sum(1 for _ in takewhile(UNKNOWN.__eq__, names))
    return next(iter(inwards[unnamed:]), inwards[0])


@lru_cache(1 << 16)
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
