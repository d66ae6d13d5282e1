"""Flame graphs of joules, as flame_frames.js takes them: each stack's functions below each other, each once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from harness.attribution.functions import MORE, NATIVE, is_native
from harness.files.untrusted import printable
from reports.drawing import Drawing
from reports.flame_drawing import flame

WHOLE = "all that was attributed"
MACHINERY = (
    "importlib._bootstrap"  # what only passes through it is left out, as Python's tracebacks leave it out
)
OURS = "suite"  # the worker's own code, whose colour is the same in all graphs
KINDS = 6  # packages that have a colour of their own
REST = "others"
LONGEST = 200  # characters of a name
MANY = 1 << 16  # names that are remembered: each comes again and again
DIGITS = 4  # significant, of joules: more cannot be seen


@dataclass(frozen=True)
class Flame:
    """`data`: names [names], kind [names], kinds (the last of the rest), runs; of frames name, depth, own [runs]."""

    key: str
    title: str
    label: str
    caption: str
    data: Mapping[str, Any]

    @cached_property
    def drawing(self) -> Drawing:
        """Where no script brings it to life, and on paper."""
        return flame(self.data)


@dataclass
class _Frame:
    own: list[float]
    within: dict[str, _Frame] = field(default_factory=dict)


def data_of(runs: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """`runs`: by its name each run's joules by stack, functions joined as in FunctionCosts.stacks."""
    root = _tree(list(runs.values()))
    frames = list(_preorder(WHOLE, root))
    names = {name: number for number, name in enumerate(dict.fromkeys(name for name, _, _ in frames))}
    kinds = _kinds(frames)
    return {
        "names": list(names),
        "kind": [kinds.get(package(name), len(kinds)) for name in names],
        "kinds": [*kinds, REST],
        "runs": [printable(one) for one in runs],
        "name": [names[name] for name, _, _ in frames],
        "depth": [depth for _, depth, _ in frames],
        "own": [[_short(own[number]) for _, _, own in frames] for number in range(len(runs))],
    }


def package(name: str) -> str:
    """Of compiled code its library."""
    return name.rpartition(f" {NATIVE} ")[2] if is_native(name) else name.partition(".")[0]


def _short(joules: float) -> float:
    """Most are none, which is shorter as a whole number."""
    return float(f"{joules:.{DIGITS}g}") if joules else 0


def _tree(runs: Sequence[Mapping[str, float]]) -> _Frame:
    root = _Frame([0.0] * len(runs))
    for number, stacks in enumerate(runs):
        for stack, joules in stacks.items():
            at = root
            for name in _shown(stack):
                if (below := at.within.get(name)) is None:
                    below = at.within[name] = _Frame([0.0] * len(runs))
                at = below
            at.own[number] += joules
    return root


def _shown(stack: str) -> Iterator[str]:
    *above, last = stack.split(MORE)
    yield from (_clean(one) for one in above if not one.startswith(MACHINERY))
    yield _clean(last)


@lru_cache(MANY)
def _clean(name: str) -> str:
    return printable(name[:LONGEST])


def _preorder(name: str, frame: _Frame) -> Iterator[tuple[str, int, list[float]]]:
    """Without recursion: a stack may be deeper than Python's own. Neighbours by name, as flame graphs have them."""
    left = [(name, frame, 0)]
    while left:
        name, frame, depth = left.pop()
        yield name, depth, frame.own
        left += [(below, one, depth + 1) for below, one in sorted(frame.within.items(), reverse=True)]


def _kinds(frames: Sequence[tuple[str, int, list[float]]]) -> dict[str, int]:
    """Our own code, then the packages with the most joules of their own, numbered."""
    joules: defaultdict[str, float] = defaultdict(float)
    for name, depth, own in frames:
        if depth:
            joules[package(name)] += sum(own)
    largest = sorted((name for name in joules if name != OURS), key=lambda name: -joules[name])
    return {name: number for number, name in enumerate([OURS, *largest][:KINDS])}
