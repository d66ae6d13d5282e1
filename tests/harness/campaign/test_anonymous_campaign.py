"""A campaign that is measured anonymously: nothing on the disk tells whose it is, and it can go on."""

from __future__ import annotations

import getpass
import os
import platform
import shutil
from pathlib import Path
from typing import Any

import pytest

from harness import store
from harness.analysis import same_measurement
from harness.campaign import carrying_out
from harness.campaign.anonymous_campaign import AnonymousCampaign
from harness.host.machine_id import machine_id
from tests.emulators.environment import EmulatedEnvironment
from tests.emulators.powercap import PowercapTree
from tests.harness.campaign.test_carrying_out import campaign, emulated
from tests.observers import Silent

__all__ = ["emulated"]


class Identified(EmulatedEnvironment):
    """Its worker fails, and its traceback tells more than its error."""

    def describe(self) -> dict[str, Any]:
        return {**super().describe(), "interpreter": "/srv/planted/bin/python"}


def written(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_its_records_and_logs_tell_nothing_and_it_goes_on(
    tmp_path: Path, emulated: PowercapTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "node", lambda: "planted-host.example.org")
    monkeypatch.setattr(getpass, "getuser", lambda: "planteduser")
    one = campaign(tmp_path / "planteduser", "raises")
    environments = {("sklearn", "1.0"): Identified("raises")}
    one = AnonymousCampaign(one.folder, one.plan, environments, one.meters)
    carrying_out.carry_out(one, Silent())
    read = store.load_campaign(one.folder)
    assert len(read.runs) == 2
    secrets = [b"planted", str(one.folder).encode(), (machine_id() or "no id").encode()]
    assert [secret for secret in secrets if secret in written(one.folder)] == []
    assert read.record.machine["anonymous"] is True
    assert read.record.machine["logical_cpus"] == os.cpu_count()

    shutil.rmtree(read.runs[-1].folder)
    now = campaign(tmp_path, "raises").record()
    assert list(same_measurement.changed_machine(read.record, now.machine, now.channels)) == []
    assert list(same_measurement.changed_work(read.record, now)) == []
    carrying_out.resume(campaign(tmp_path / "planteduser", "raises"), Silent())
    assert len(store.load_campaign(one.folder).runs) == 2
    assert [secret for secret in secrets if secret in written(one.folder)] == []
