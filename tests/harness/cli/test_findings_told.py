"""Each code is told once for a treatment, and every finding that matters is counted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.cli.findings_told import FindingsTold
from harness.records import Finding, RunRecord
from tests.campaigns import Recipe, build

FINDING = st.builds(
    Finding,
    code=st.sampled_from("abc"),
    severity=st.sampled_from(["info", "warning", "invalid"]),
    message=st.just("it is"),
    advice=st.just("do"),
)
RUNS = st.lists(st.tuples(st.sampled_from([0, 1]), st.lists(FINDING, max_size=3)), max_size=8)


@pytest.fixture(scope="module")
def two_treatments(tmp_path_factory: pytest.TempPathFactory) -> list[RunRecord]:
    folder: Path = tmp_path_factory.mktemp("built") / "campaign"
    return [run.record for run in build(folder, Recipe(blocks=1)).runs]


@given(runs=RUNS)
def test_told_once_for_a_treatment_and_counted_always(
    two_treatments: list[RunRecord], runs: list[tuple[int, list[Finding]]]
) -> None:
    told, found = FindingsTold(), list[tuple[int, str]]()
    for which, findings in runs:
        record = two_treatments[which].model_copy(update={"findings": tuple(findings)})
        found += [(which, one.code) for one in told.new(record)]
    matter = [(which, one.code) for which, findings in runs for one in findings if one.severity != "info"]
    assert sorted(found) == sorted(set(matter))
    assert told.counts == Counter(code for _, code in matter)
    assert all(told.repeated[code] > 1 for code in told.repeated)
