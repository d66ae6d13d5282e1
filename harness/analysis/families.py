"""Groups of one workload that differ in data set and settings alone: the levels of factors, laid side by side."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from harness.analysis.groups import Group, level
from harness.devices import is_gpu

DATASET = "dataset"
SAME = ("workload", "stage", "device")
Level = str | int | float


@dataclass(frozen=True)
class Family:
    """`key`: what its groups have in common, by GROUP column."""

    key: dict[str, str]
    groups: tuple[Group, ...]

    @property
    def treatments(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for group in self.groups for name in group.treatments))

    @property
    def factors(self) -> dict[str, list[Level]]:
        """Each factor of which there are several levels, with them: numbers by size, words as they come."""
        levels = [levels_of(group) for group in self.groups]
        names = dict.fromkeys(name for one in levels for name in one)
        found = {name: list(dict.fromkeys(one[name] for one in levels if name in one)) for name in names}
        return {name: _sorted(values) for name, values in found.items() if len(values) > 1}

    @property
    def title(self) -> str:
        device = self.key["device"]
        words = (self.key["workload"], self.key["stage"], self.key.get(DATASET, ""))
        return " · ".join(word for word in (*words, device if is_gpu(device) else "") if word)

    def select(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The rows of a frame with the GROUP columns that belong to one of its groups."""
        parts = [group.select(frame) for group in self.groups]
        return pd.concat(parts) if parts else frame.iloc[:0]

    def laid_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        """`select`, with each row's level of every factor, as text under the factor's name; null where it has none."""
        parts = []
        for group in self.groups:
            levels = levels_of(group)
            named = {f"level {name}": str(levels[name]) for name in self.factors if name in levels}
            parts.append(group.select(frame).assign(**named))
        return pd.concat(parts, ignore_index=True) if parts else frame.iloc[:0]

    def label(self, group: Group) -> str:
        """What sets a group apart, e.g. batch_size 32 · depth 50; empty where there is only one."""
        levels = levels_of(group)
        return " · ".join(f"{name} {levels[name]}" for name in self.factors if name in levels)


def families(groups: Sequence[Group], same: Sequence[str] = SAME) -> tuple[Family, ...]:
    """In the order of their first groups; `same`: the GROUP columns that a family has in common."""
    found: dict[tuple[str, ...], list[Group]] = {}
    for group in groups:
        found.setdefault(tuple(group.key[name] for name in same), []).append(group)
    return tuple(Family(dict(zip(same, key, strict=True)), tuple(many)) for key, many in found.items())


def levels_of(group: Group) -> dict[str, Level]:
    """Data set and settings, by factor."""
    settings = json.loads(group.settings).items()
    return {DATASET: group.dataset, **{name: level(name, value) for name, value in settings}}


def _sorted(values: list[Level]) -> list[Level]:
    numeric = all(isinstance(value, int | float) for value in values)
    return sorted(values, key=lambda value: float(value)) if numeric else values
