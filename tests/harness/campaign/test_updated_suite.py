"""A campaign that another version of the suite resumes: each run keeps which one made it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from harness import store, version
from harness.analysis.summary import analyse
from harness.campaign import carrying_out
from harness.findings.codes import Code
from tests.emulators.powercap import PowercapTree
from tests.harness.campaign.test_carrying_out import campaign, emulated
from tests.observers import Silent

__all__ = ["emulated"]
pytestmark = pytest.mark.unhurried


def test_each_run_tells_the_version_that_made_it(
    tmp_path: Path, emulated: PowercapTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(version, "told", lambda: "0.1.0 (commit 8dfc059ab012)")
    one = campaign(tmp_path, "raises")
    carrying_out.carry_out(one, Silent())
    shutil.rmtree(store.load_campaign(one.folder).runs[-1].folder)
    monkeypatch.setattr(version, "told", lambda: "0.2.0")
    carrying_out.resume(campaign(tmp_path, "raises"), Silent())
    read = store.load_campaign(one.folder)
    assert [run.record.made_by for run in read.runs] == ["0.1.0 (commit 8dfc059ab012)", "0.2.0"]
    assert read.record.made_by == "0.1.0 (commit 8dfc059ab012)"
    assert Code.SUITE_CHANGED in {one.code for one in analyse(read).findings}
