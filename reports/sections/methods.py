"""The methods as a text for a paper, and BibTeX of what it cites: the same as `suite export --format methods`."""

from __future__ import annotations

from typing import Any

from harness.analysis.summary import Analysis
from harness.store import Campaign
from reports.methods import methods

TITLE, ORDER = "Methods, ready to paste", 75


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    """Nothing where nothing was measured."""
    found = methods(analysis, campaign)
    return {"text": found.text, "bibtex": found.bibtex} if found else {}
