"""The looks of an adaptive campaign that is under way: each reads only what the one before did not see."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from harness import store
from harness.analysis import adaptive
from harness.analysis.run_rows import RunRows
from harness.analysis.tables import assembled, rows_by_run
from harness.records import DecidedRatio, StopRecord
from harness.records.planned import Work


@dataclass
class Looks:
    """`folder`: the campaign's. A stored run never changes, so what was read of it stays true."""

    folder: Path
    _runs: dict[str, store.Run] = field(default_factory=dict)
    _rows: dict[str, RunRows] = field(default_factory=dict)

    def stop(self, blocks: int) -> StopRecord | None:
        """As harness.analysis.adaptive.stop, after so many complete blocks."""
        campaign = self._read()
        return adaptive.stop(campaign, assembled(campaign, self._rows), blocks)

    def ratios(self, work: Work | None = None) -> tuple[DecidedRatio, ...]:
        """As harness.analysis.adaptive.ratios."""
        campaign = self._read()
        return adaptive.ratios(campaign, assembled(campaign, self._rows), work)

    def _read(self) -> store.Campaign:
        campaign = store.load_campaign(self.folder, self._runs)
        self._runs = {run.folder.name: run for run in campaign.runs}
        self._rows |= rows_by_run(campaign, leave_out=self._rows)
        return campaign
