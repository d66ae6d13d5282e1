"""What a framework's manifest says of its work: the stages it has, and what of them can be proven."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from harness import paths
from suite.task import TRAIN

# What a proof of equal work can compare: what a framework answers, and every step on the way to its weights.
OUTPUTS, TRAINING = "outputs", "training"


@dataclass(frozen=True)
class Abilities:
    """`stages`: the only ones that there are, an engine has no training; empty where a workload's are all there."""

    stages: tuple[str, ...] = ()
    proves: tuple[str, ...] = (OUTPUTS, TRAINING)

    def has(self, stage: str) -> bool:
        return not self.stages or stage in self.stages

    @property
    def trains(self) -> bool:
        return self.has(TRAIN)


def of(framework: str) -> Abilities:
    """Of a framework that this checkout does not have, as another's campaign may, nothing is known to lack."""
    return _all().get(framework, Abilities())


@cache
def _all() -> Mapping[str, Abilities]:
    """By the folders of the images; as their manifests say."""
    found = {}
    for manifest in paths.IMAGES.glob("*/manifest.toml"):
        told = tomllib.loads(manifest.read_text())
        lists = {name: tuple(told[name]) for name in ("stages", "proves") if name in told}
        found[manifest.parent.name] = Abilities(**lists)
    return found
