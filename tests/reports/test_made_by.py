"""The report tells by which version and commit its campaign was measured; one of before tells nothing of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import store, version
from harness.analysis.summary import analyse
from reports.sections import provenance
from tests.campaigns import Recipe, build


@pytest.mark.parametrize("made_by", ["0.1.0 (commit 8dfc059ab012, changed)", ""])
def test_the_campaign_s_version_stands_beside_the_report_s(tmp_path: Path, made_by: str) -> None:
    build(tmp_path / "campaign", Recipe(blocks=2))
    campaign = store.load_campaign(tmp_path / "campaign")
    record = campaign.record.model_copy(update={"made_by": made_by})
    store.write_record(tmp_path / "campaign" / store.CAMPAIGN_FILE, record)
    read = store.load_campaign(tmp_path / "campaign")
    rows = {
        row.cells[0].text: row.cells[1].text for row in provenance.view(analyse(read), read)["tables"][0].rows
    }
    assert rows.get("measured by", "") == (f"joulemark {made_by}" if made_by else "")
    assert rows["report written by"] == f"joulemark {version.number()}"
