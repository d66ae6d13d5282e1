"""One block of a campaign as a campaign of its own, on the node that carries it out: the same steps as anywhere."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from harness.campaign import pretrained_states
from harness.campaign.planned import PlannedCampaign
from harness.records import PlannedRun


@dataclass(frozen=True)
class BlockCampaign(PlannedCampaign):
    """`only`: the runs that this node makes of the plan's; `states`: the whole campaign's, with which they begin."""

    only: tuple[PlannedRun, ...] = ()
    states: Path = Path()

    @cached_property
    def order(self) -> tuple[PlannedRun, ...]:
        return self.only

    def write_states(self, states: Path) -> Mapping[str, str]:
        for path in sorted(self.states.glob("*.npz")):
            shutil.copyfile(path, states / path.name, follow_symlinks=False)
            (states / path.name).chmod(0o644)  # whatever the umask: a worker may be another user
        return pretrained_states.kept(states, self.plan)


def of_block(order: tuple[PlannedRun, ...], block: int) -> tuple[PlannedRun, ...]:
    return tuple(one for one in order if one.block == block)


def folder_of(scratch: Path, campaign: Path, name: str) -> Path:
    """Of a campaign with the id of the whole one, below a folder of its own."""
    return scratch / name / campaign.absolute().name
