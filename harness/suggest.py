"""One line for an unknown name, with the nearest known one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """E.g. "unknown workload 'mnist_cn'; did you mean 'mnist_cnn'? (known: mnist_cnn, svm)"."""
    names = list(known)
    return f"unknown {kind} '{name}'{hint(name, names)} (known: {', '.join(names)})"


def hint(name: str, known: Iterable[str]) -> str:
    """E.g. "; did you mean 'mnist_cnn'?"; empty where nothing is near."""
    near = nearest(name, known)
    return f"; did you mean '{near}'?" if near else ""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """What begins with the name, else what looks most like it; None where nothing does."""
    names = list(known)
    begun = [one for one in names if name and one.startswith(name)]  # 2.20 means 2.20.0, not 2.21.0
    return next(iter(begun or difflib.get_close_matches(name, names, n=1, cutoff=0.5)), None)
