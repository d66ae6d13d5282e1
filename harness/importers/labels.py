"""What a file's name says of its run, where the file itself says nothing.

The words of a name, parted by - _ . or spaces: a number at the end is the repetition, a framework's name or its usual
short form the framework, train or infer the stage; what is left names the workload.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from harness.devices import HOST
from harness.importers.base import UNKNOWN, Imported, ImportedRun
from harness.records import Treatment

FRAMEWORKS = {
    "torch": "torch", "pytorch": "torch", "tensorflow": "tensorflow", "tf": "tensorflow", "keras": "keras",
    "jax": "jax", "jaxx": "jax", "sklearn": "sklearn", "mxnet": "mxnet", "onnx": "onnx",
}  # fmt: skip
STAGES = {"train": "train", "training": "train", "infer": "infer", "inference": "infer"}
PARTS = re.compile(r"[-_.\s]+")
NOISE = {"energy", "nvidia", "smi", "perf", "stat", "results", "measurements", "emissions", "energibridge"}


class Label(NamedTuple):
    """`repetition` is None where the name has no number at its end."""

    treatment: Treatment
    repetition: int | None


def label(path: Path, device: str = HOST) -> Label:
    """The stem first, then the folder's name for what the stem leaves open."""
    words = _words(path.stem)
    match = re.fullmatch(r"(?:run)?(\d+)", words[-1]) if words else None
    number = int(match[1]) if match and words.pop() else None
    around = _words(path.absolute().parent.name)
    framework = _known(words, FRAMEWORKS) or _known(around, FRAMEWORKS) or UNKNOWN
    stage = _known(words, STAGES) or _known(around, STAGES) or UNKNOWN
    rest = [word for word in words if word not in FRAMEWORKS and word not in STAGES and word not in NOISE]
    treatment = Treatment(
        workload="_".join(rest) or UNKNOWN,
        framework=framework,
        version=UNKNOWN,
        stage=stage,
        dataset=UNKNOWN,
        device=device,
    )
    return Label(treatment, number)


def labelled(
    path: Path,
    patterns: Sequence[str],
    read: Callable[[Path, Treatment, int], ImportedRun],
    device: str = HOST,
) -> Imported:
    """One run a file: `path` itself, or every file below it that fits; in order of time where they tell it."""
    root = path.absolute() if path.is_dir() else path.absolute().parent
    found = (
        {one for pattern in patterns for one in root.rglob(pattern)} if path.is_dir() else {path.absolute()}
    )
    named = sorted(((label(one, device), one) for one in found if not one.name.startswith(".")), key=_place)
    first = min((one.repetition for one, _ in named if one.repetition is not None), default=1)
    seen: Counter[str] = Counter()
    runs = []
    for one, file in named:
        seen[one.treatment.label] += 1
        number = seen[one.treatment.label] if one.repetition is None else one.repetition + (first == 0)
        runs.append(read(file, one.treatment, number))
    if all(run.begin_ns is not None for run in runs):
        runs.sort(key=lambda run: run.begin_ns or 0)
    return Imported(root, tuple(runs))


def _place(named: tuple[Label, Path]) -> tuple[str, int, Path]:
    one, file = named
    return one.treatment.label, one.repetition or 0, file


def _words(text: str) -> list[str]:
    return [word for word in PARTS.split(text.lower()) if word]


def _known(words: list[str], names: dict[str, str]) -> str | None:
    return next((names[word] for word in words if word in names), None)
