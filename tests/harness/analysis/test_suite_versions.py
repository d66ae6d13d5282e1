"""A campaign that an updated suite resumed says which versions measured it, and gives no verdict across them."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import store
from harness.analysis import suite_versions
from harness.analysis.suite_versions import suite_changed
from harness.analysis.summary import Analysis, analyse
from harness.analysis.withheld import withheld
from harness.exports import anonymous
from harness.exports.anonymised import anonymised
from harness.findings.codes import Code
from tests.suite_versions import MESSAGE, NEW, OLD, from_block, from_the_middle_of_resnet, made


def told(analysis: Analysis) -> list[str]:
    return [one.message for one in analysis.findings if one.code == Code.SUITE_CHANGED]


def test_one_version_is_no_finding_and_runs_of_before_are_of_the_one_that_began(tmp_path: Path) -> None:
    for name, whose in (("all", OLD), ("before", "")):
        campaign = made(tmp_path / name, lambda record, whose=whose: whose)
        assert list(suite_changed(campaign.record, campaign.runs)) == []


def test_whole_blocks_of_each_version_keep_their_verdicts(tmp_path: Path) -> None:
    analysis = analyse(made(tmp_path, from_block(5)))
    assert told(analysis) == [MESSAGE.format(5)]
    assert withheld(analysis.costs).empty and analysis.costs["verdict"].notna().any()


def test_a_block_of_two_versions_withholds_the_verdicts_on_its_work_alone(tmp_path: Path) -> None:
    analysis = analyse(made(tmp_path, from_the_middle_of_resnet))
    assert told(analysis) == [MESSAGE.format(4)]
    void = withheld(analysis.costs)
    assert set(void["workload"]) == {"resnet"}
    assert set(void["ratio_reason"]) == {"suite-changed: two versions of the suite measured block 4"}
    others = analysis.costs[analysis.costs["workload"] == "mnist_cnn"]
    assert set(others["verdict"].dropna()) - {"reference"}


def test_blocks_of_another_version_in_between_are_not_claimed(tmp_path: Path) -> None:
    """As in a merged campaign."""
    between = made(tmp_path, lambda record: NEW if record.planned.block in (3, 6) else OLD)
    words = f"joulemark {OLD} in blocks 1 to 2 and 4 to 5, joulemark {NEW} in blocks 3 and 6"
    (finding,) = suite_changed(between.record, between.runs)
    assert finding.message == f"measured by {words}"


def test_many_stretches_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite_versions, "MOST_STRETCHES", 2)
    campaign = made(tmp_path, lambda record: NEW if record.planned.block % 2 else OLD)
    (finding,) = suite_changed(campaign.record, campaign.runs)
    assert finding.message.endswith(f"joulemark {OLD} in 3 blocks between 2 and 6")


def test_who_began_may_not_have_told_its_version(tmp_path: Path) -> None:
    analysis = analyse(made(tmp_path, lambda record: NEW if record.planned.block == 6 else "", began=""))
    words = f"a version that does not tell its name in blocks 1 to 5, joulemark {NEW} in block 6"
    assert told(analysis) == [f"measured by {words}"]


def test_an_anonymous_copy_withholds_what_the_campaign_does_and_tells_no_commit(tmp_path: Path) -> None:
    other = OLD.replace("8dfc059ab012", "04b091c944b8, changed")
    late = made(tmp_path, lambda one: from_the_middle_of_resnet(one).replace(NEW, other))
    with anonymised(late.folder) as copy:
        analysis = analyse(store.load_campaign(copy))
        texts = [path.read_text() for path in copy.rglob("*.json")]
    words = "joulemark 0.1.0 in blocks 1 to 4, joulemark 0.1.0, build 2 in blocks 4 to 6"
    assert told(analysis) == [f"measured by {words}"]
    assert set(withheld(analysis.costs)["workload"]) == {"resnet"}
    assert not [one for one in texts if "8dfc059ab012" in one or "04b091c944b8" in one]


def test_an_anonymous_campaign_does_not_tell_the_commit_of_a_run(tmp_path: Path) -> None:
    (run, *_) = made(tmp_path, from_block(1)).runs
    assert anonymous.of_record(run.record, {}).made_by == "0.2.0"
