"""One campaign -> one self-contained HTML page: no request, the same bytes every time."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from harness.analysis.narrowed import narrowed
from harness.analysis.narrowing import EVERYTHING, Narrowing
from harness.analysis.summary import analyse
from harness.files.untrusted import printable
from harness.store import Campaign
from reports.assets import assets
from reports.campaign_difference import CampaignDifference
from reports.comparison import CampaignComparison
from reports.contents import Section, sections_of
from reports.headline import headline
from reports.slimming import packed

FOLDER = Path(__file__).parent


def render(
    campaign: Campaign,
    reference: str | None = None,
    margin: float | None = None,
    errors: str | None = None,
    against: CampaignComparison | None = None,
    difference: CampaignDifference | None = None,
    narrowing: Narrowing = EVERYTHING,
) -> str:
    """The report.

    `reference` names the treatment to compare with; None takes the first of the plan.
    `margin`: the smallest difference that matters, as a share; None: 2 %, or what an adaptive campaign declared.
    `errors`: how they are held over several ratios (harness.analysis.multiplicity); None: simultaneously.
    `against`: another campaign, for a section that compares the two; `difference`: one whose profiled runs these are
    held against. `narrowing`: what is told; the verdicts are those of the whole.

    Raises: UsageError for a reference that the campaign does not have.
    """
    campaign, analysis = narrowed(campaign, analyse(campaign, reference, margin, errors), narrowing)
    templates, found = _templates(), sections_of(analysis, campaign, against, difference)
    return templates.get_template("page.html.j2").render(
        head=headline(analysis, campaign),
        campaign=campaign.record,
        assets=assets(
            _specifications(found), {one.key: one.data for each in found for _, one in each.flames}
        ),
        sections=[_filled(templates, one) for one in found],
    )


def _specifications(sections: list[Section]) -> dict[str, Any]:
    """By the name that a chart has on the page."""
    return {
        f"{figure.key}-{number}": packed(panel.drawing.spec)
        for section in sections
        for _, figure in section.figures
        for number, panel in enumerate(figure.panels, 1)
    }


def _filled(templates: Environment, section: Section) -> dict[str, Any]:
    body = templates.get_template(f"{section.name}.html.j2").render(**section.view)
    return {"name": section.name, "title": section.title, "body": Markup(body)}


def _plain(value: Any) -> Any:
    """Anybody's text without what turns the numbers after it round, or a terminal obeys; its lines stay."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return "\n".join(map(printable, value.split("\n")))


def _templates() -> Environment:
    environment = Environment(
        loader=FileSystemLoader([FOLDER, FOLDER / "sections"]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_plain,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["slug"] = lambda text: re.sub(r"[^a-z]+", "-", str(text).lower()).strip("-")
    return environment
