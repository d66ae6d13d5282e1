"""Two published studies as campaigns, from their raw files."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import importers, store
from harness.analysis.summary import Analysis, analyse
from harness.store import Campaign
from tests.conftest import SHARED


def imported(name: str, folder: str, out: Path) -> tuple[Analysis, Campaign]:
    raw = SHARED / "published" / folder
    if not raw.is_dir():
        pytest.skip(f"the raw files of the study are not beside this checkout: shared/published/{folder}")
    campaign = store.load_campaign(importers.import_campaign(name, raw, out))
    return analyse(campaign), campaign


@pytest.fixture(scope="session")
def icse22(tmp_path_factory: pytest.TempPathFactory) -> tuple[Analysis, Campaign]:
    return imported("prengdl", "icse22/measurements_train", tmp_path_factory.mktemp("icse22") / "c")


@pytest.fixture(scope="session")
def sotillos23(tmp_path_factory: pytest.TempPathFactory) -> tuple[Analysis, Campaign]:
    return imported("sotillos", "sotillos23", tmp_path_factory.mktemp("sotillos23") / "c")
