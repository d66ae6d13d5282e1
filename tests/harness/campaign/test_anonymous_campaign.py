"""A campaign that is measured anonymously: nothing on the disk tells whose it is, and it can go on."""

from __future__ import annotations

import getpass
import os
import platform
import shutil
from pathlib import Path
from typing import Any

import pytest

from harness import store, version
from harness.analysis import same_measurement
from harness.campaign import builds, carrying_out
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


OLD, NEW, NEWEST = (f"0.1.0 (commit {digit * 12})" for digit in "abc")


@pytest.mark.parametrize("forgotten", [False, True])
def test_whoever_resumes_it_with_another_commit_is_another_version(
    tmp_path: Path, emulated: PowercapTree, monkeypatch: pytest.MonkeyPatch, forgotten: bool
) -> None:
    """Forgotten: as on another machine, where nobody knows what it was begun with."""
    monkeypatch.setenv("JOULEMARK_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(version, "told", lambda: OLD)
    one = campaign(tmp_path, "raises")
    one = AnonymousCampaign(one.folder, one.plan, one.environments, one.meters)
    carrying_out.carry_out(one, Silent())
    first, second = store.load_campaign(one.folder).runs
    assert {first.record.made_by, second.record.made_by, one.record().made_by} == {"0.1.0"}
    for made_by, shown in (
        (OLD, "0.1.0"),
        (NEW, "0.1.0, build 2"),
        (NEWEST, "0.1.0, build 3"),
        (OLD, "0.1.0"),
    ):
        if forgotten:
            shutil.rmtree(tmp_path / "home" / "builds")
            shown = f"0.1.0, {builds.UNKNOWN}"
        shutil.rmtree(one.folder / store.RUNS / second.record.planned.run_id)
        monkeypatch.setattr(version, "told", lambda made_by=made_by: made_by)
        carrying_out.resume(campaign(tmp_path, "raises"), Silent())
        read = store.load_campaign(one.folder)
        assert [run.record.made_by for run in read.runs] == ["0.1.0", shown]
        assert [digit for digit in (b"a" * 12, b"b" * 12, b"c" * 12) if digit in written(one.folder)] == []
        (tmp_path / "home" / "builds").mkdir(exist_ok=True)


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
