"""MLPerf Training v4.0: both published figures to the joule, and what the logs say besides."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness import studies
from harness.importers.base import SourceError
from harness.studies.base import YES, Reproduction
from tests.conftest import SHARED
from tests.foreign import write
from tests.foreign_mlperf import training

SMC = SHARED / "published/smc_mlperf_training40"
NAME = "smc_mlperf_training40"
needs_files = pytest.mark.skipif(
    not SMC.is_dir(), reason="the raw files of the study are not beside the checkout"
)


@pytest.fixture(scope="module")
def found() -> Reproduction:
    return studies.reproduce(NAME, SMC)


def messages(found: Reproduction, code: str) -> str:
    return "; ".join(one.message for one in found.audit if one.code == code)


def submission(folder: Path, watts: float = 100.0, step_s: float = 1.0, scaling: float = 1.0) -> None:
    """Three runs of 20, 19 and 18 s."""
    for run in (1, 2, 3):
        training(folder, run, [watts] * round(30 / step_s + 1), step_s, (5.0, 26.0 - run))
    write(folder / "scaling.json", json.dumps({"scaling_factor": scaling}))


@needs_files
def test_both_results_follow_to_the_joule(found: Reproduction) -> None:
    ours = {
        (one.row, one.column): (one.published.value, one.ours)
        for one in found.cells
        if one.compared and one.published
    }
    assert {key: value[0] for key, value in ours.items()} == {
        ("AC", "energy"): 12_127_904, ("DC", "energy"): 11_769_962,
        ("AC", "time"): 29.10069, ("DC", "time"): 29.10069,
    }  # fmt: skip
    for published, mine in ours.values():
        assert mine == pytest.approx(published, abs=0.5 if published > 100 else 5e-6)
    assert {(one.match, one.rule) for one in found.cells if one.compared} == {(YES, "rounded")}


@needs_files
def test_the_audit_finds_what_the_logs_say(found: Reproduction) -> None:
    assert "every 2.01 s where the rule asks for 1 s" in messages(found, "sampling-slower-than-asked")
    assert "the longest 20.0 s" in messages(found, "sampling-slower-than-asked")
    assert messages(found, "log-wider-than-run").startswith("20 of 20 logs begin 58 to 60 s before")
    assert messages(found, "stop-mark-has-start-time").startswith("in 20 of 20 logs")
    assert "same 10 runs: 0.9706 +- 0.0011" in messages(found, "two-meters")
    assert "of the two results 0.9705" in messages(found, "two-meters")


def test_the_rule_can_be_followed_by_hand(tmp_path: Path) -> None:
    """100 W throughout: 19 s of the run between the fastest and the slowest, times the factor."""
    submission(tmp_path / "smc-ac-power", scaling=2.0)
    found = studies.reproduce(NAME, tmp_path)
    cells = {one.column: one.ours for one in found.cells}
    assert cells["energy"] == pytest.approx(100 * 19 * 2)
    assert cells["energy, ours"] == pytest.approx(100 * 19 * 2)
    assert cells["time"] == pytest.approx(2 * 19 / 60)
    assert messages(found, "sampling-slower-than-asked") == ""
    assert messages(found, "two-meters") == ""


def test_meters_are_compared_run_by_run_where_both_are_there(tmp_path: Path) -> None:
    submission(tmp_path / "smc-ac-power")
    submission(tmp_path / "smc-dc-power", watts=97.0, step_s=2.0)
    found = studies.reproduce(NAME, tmp_path)
    assert "same 3 runs: 0.9700 +- 0.0000" in messages(found, "two-meters")
    assert "0 of 6 logs have gaps of over two steps, the longest 2.0 s" in messages(
        found, "sampling-slower-than-asked"
    )


def test_what_the_rule_needs_is_asked_for(tmp_path: Path) -> None:
    submission(tmp_path / "elsewhere")
    with pytest.raises(SourceError, match=r"lies in no folder \*ac-power or \*dc-power"):
        studies.reproduce(NAME, tmp_path)
    (tmp_path / "elsewhere/scaling.json").write_text('{"scaling_factor": 0}')
    with pytest.raises(SourceError, match=r"scaling\.json: holds no scaling_factor above 0"):
        studies.reproduce(NAME, tmp_path)
    (tmp_path / "elsewhere/scaling.json").unlink()
    with pytest.raises(SourceError, match="needs the log's start mark and the submission's scaling factor"):
        studies.reproduce(NAME, tmp_path)
