"""The page of a campaign of the size of `make run`, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.store import Campaign
from reports.render import render
from tests.big_campaign import BIG
from tests.campaigns import build


@pytest.fixture(scope="session")
def big_campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return build(tmp_path_factory.mktemp("big") / "c", BIG)


@pytest.fixture(scope="session")
def big_page(big_campaign: Campaign) -> Path:
    path = big_campaign.folder.parent / "report.html"
    path.write_text(render(big_campaign))
    return path
