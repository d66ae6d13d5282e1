"""Two published studies as campaigns, from their raw files."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import importers, store
from harness.analysis.summary import Analysis, analyse
from harness.store import Campaign
from tests.conftest import SHARED

Study = tuple[Analysis, Campaign]
FORMATS = {"icse22": ("prengdl", "icse22/measurements_train"), "sotillos23": ("sotillos", "sotillos23")}


def study(name: str, out: Path) -> Study:
    form, folder = FORMATS[name]
    raw = SHARED / "published" / folder
    if not raw.is_dir():
        pytest.skip(f"the raw files of the study are not beside this checkout: shared/published/{folder}")
    campaign = store.load_campaign(importers.import_campaign(form, raw, out))
    return analyse(campaign), campaign
