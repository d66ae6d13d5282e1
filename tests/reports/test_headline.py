"""The first lines of a report."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.analysis.summary import analyse
from harness.findings.codes import Code
from harness.records import Finding
from reports.headline import headline
from tests.campaigns import MACHINE, Recipe, build

SCALED = Finding(code=Code.SCALED_DOWN, severity="info", message="profile quick scales", advice="")


def lead(folder: Path, *findings: Finding) -> str:
    campaign = build(folder, Recipe(findings=findings))
    return str(headline(analyse(campaign), campaign)["lead"])


def test_scaled_work_is_said_before_any_figure(tmp_path: Path) -> None:
    assert lead(tmp_path / "scaled", SCALED).endswith("scales data and training: Validity names each change.")
    assert "scales" not in lead(tmp_path / "whole")


@pytest.mark.parametrize("told", [["a"], {"a": 1}, 7, None])
def test_a_machine_that_somebody_else_described_oddly_is_still_named(tmp_path: Path, told: object) -> None:
    campaign = build(tmp_path / "c", Recipe(machine={**MACHINE, "cpu_model": told}))
    assert headline(analyse(campaign), campaign)["lead"]
