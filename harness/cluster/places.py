"""Where things of a campaign on a cluster lie, below its folder: pure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

CLUSTER = "cluster"
ASKED_FILE = "asked.json"
REFERENCE_FILE = "reference.json"  # the first fit node's record: what the others are held against
BLOCK_FILE = "block.json"


@dataclass(frozen=True)
class Places:
    """Of the campaign in `campaign`, which all nodes see."""

    campaign: Path

    @property
    def folder(self) -> Path:
        return self.campaign / CLUSTER

    @property
    def jobs(self) -> Path:
        """The controller's records of jobs."""
        return self.folder / "jobs"

    @property
    def told(self) -> Path:
        """The jobs' own last words."""
        return self.folder / "told"

    @property
    def nodes(self) -> Path:
        return self.folder / "nodes"

    @property
    def incoming(self) -> Path:
        """What a job is copying here; nobody reads it until it is renamed."""
        return self.folder / "incoming"

    @property
    def blocks(self) -> Path:
        """What is here is whole, and was collected once."""
        return self.folder / "blocks"

    @property
    def revoked(self) -> Path:
        """A file for each job that shall end though the scheduler may not reach it any more."""
        return self.folder / "revoked"

    @property
    def logs(self) -> Path:
        return self.folder / "logs"

    def of_block(self, block: int) -> Path:
        return self.blocks / f"{block:05d}"

    def make(self) -> None:
        for one in (self.jobs, self.told, self.nodes, self.incoming, self.blocks, self.revoked, self.logs):
            one.mkdir(parents=True, exist_ok=True)


def is_one(campaign: Path) -> bool:
    """Whether a cluster carries the campaign out."""
    return (campaign / CLUSTER / ASKED_FILE).is_file()
