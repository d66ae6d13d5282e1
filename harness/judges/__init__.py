"""Metrics that the host judges, of what a run answered: a file each, which bears the metric's name.

The program that is measured tells no such metric, and has no say in it.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

Answers = Mapping[str, np.ndarray[Any, Any]]


class Judge(Protocol):
    """Of one data set. `how`: what the values depend on beside the answers, in the judging library's own words."""

    how: str

    def judge(self, answers: Answers) -> float:
        """The metric's value. Raises: ValueError for answers that are none to this data set."""


def judge_of(metric: str, data: Path) -> Judge:
    """By the prepared data set in the folder `data`."""
    found: Judge = importlib.import_module(f"harness.judges.{metric}").of(data)
    return found
