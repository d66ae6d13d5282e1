"""What campaign.json says before the first run."""

from __future__ import annotations

from pathlib import Path

from harness.datasets import prepared, source
from tests.emulators.powercap import PowercapTree
from tests.harness.campaign.test_carrying_out import campaign, emulated

__all__ = ["emulated"]


def test_a_campaign_tells_what_its_data_hold(tmp_path: Path, emulated: PowercapTree, home: Path) -> None:
    one = campaign(tmp_path)
    assert one.record().datasets == {}
    prepared.prepare(source("digits"), Path())
    assert one.record().datasets == {"digits": prepared.content_sha256("digits")}
