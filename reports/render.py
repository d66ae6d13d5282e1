"""One campaign -> one self-contained HTML page: no request, the same bytes every time."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from harness.analysis.narrowed import narrowed
from harness.analysis.narrowing import EVERYTHING, Narrowing
from harness.analysis.plain_texts import with_plain_texts
from harness.analysis.stated import Factor
from harness.analysis.summary import Analysis, analyse
from harness.files.untrusted import printable
from harness.store import Campaign
from reports.answer import answer
from reports.assets import assets
from reports.campaign_difference import CampaignDifference
from reports.comparison import CampaignComparison
from reports.contents import Section, sections_of
from reports.folds import Folded, choices, folded
from reports.headline import headline
from reports.slimming import packed
from reports.trust import trust
from reports.trust_of_ratios import CALIBRATION

FOLDER = Path(__file__).parent
Other = CampaignComparison | CampaignDifference
LEADING = {"overview", "comparison"}  # sections that stand open above the folds


# Arrow's texts pay from thousands of rows on; sections make thousands of frames of a few.
@pd.option_context("mode.string_storage", "python")
def render(
    campaign: Campaign,
    reference: str | None = None,
    margin: float | None = None,
    errors: str | None = None,
    others: Sequence[Other] = (),
    narrowing: Narrowing = EVERYTHING,
    stated: tuple[Factor, ...] = (),
) -> str:
    """The report.

    `reference` names the treatment to compare with; None takes the first of the plan.
    `margin`: the smallest difference that matters, as a share; None: 2 %, or what an adaptive campaign declared.
    `errors`: how they are held over several ratios (harness.analysis.multiplicity); None: simultaneously.
    `others`: campaigns for sections that compare the two, or whose profiled runs these are held against.
    `narrowing`: what is told; the verdicts are those of the whole. `stated`: what a kilowatt-hour stands for.

    Raises: UsageError for a reference that the campaign does not have.
    """
    whole = replace(analyse(campaign, reference, margin, errors), stated=stated)
    campaign, analysis = narrowed(campaign, _quick_to_read(whole), narrowing)
    against = next((one for one in others if isinstance(one, CampaignComparison)), None)
    difference = next((one for one in others if isinstance(one, CampaignDifference)), None)
    templates, found = _templates(), sections_of(analysis, campaign, against, difference)
    facts = [] if analysis.profiles.alone else trust(analysis, campaign)
    return templates.get_template("page.html.j2").render(
        head=headline(analysis, campaign),
        campaign=campaign.record,
        assets=assets(
            _specifications(found), {one.key: one.data for each in found for _, one in each.flames}
        ),
        facts=facts,
        uncalibrated=CALIBRATION in {one.title for one in facts},
        answer=answer(analysis),
        **_below(templates, folded(found, analysis), analysis),
    )


def _quick_to_read(analysis: Analysis) -> Analysis:
    """The same values: sections select rows a thousand times."""
    told = analysis.costs, analysis.parts, analysis.epochs, analysis.finals
    costs, parts, epochs, finals = map(with_plain_texts, told)
    return replace(analysis, costs=costs, parts=parts, epochs=epochs, finals=finals)


def _below(templates: Environment, page: Folded, analysis: Analysis) -> dict[str, Any]:
    """What stands below the first screen, and its contents."""
    left = [one for one in page.rest if one.name not in {each.name for each in page.explained}]
    leading = [one for one in left if one.name in LEADING]
    following = [one for one in left if one.name not in LEADING]
    works = [{"href": "works", "title": "Each workload"}] if page.works else []
    explained = [_filled(templates, one, page.moved) for one in page.explained]
    explained = [one for one in explained if one["body"].strip()]
    first, last = ([{"href": one.name, "title": one.title} for one in some] for some in (leading, following))
    reading = [{"href": "reading", "title": "How to read"}] if explained else []
    return {
        "contents": [*first, *works, *reading, *last],
        "works": page.works,
        "targets": {
            block.key: work.key for work in page.works for each in work.shares for block in each.blocks
        },
        "choices": choices(analysis),
        "leading": [_filled(templates, one, page.moved) for one in leading],
        "reading": explained,
        "reading_of": {one["name"] for one in explained},
        "following": [_filled(templates, one, page.moved) for one in following],
        "opened": analysis.profiles.alone,
    }


def _specifications(sections: list[Section]) -> dict[str, Any]:
    """By the name that a chart has on the page."""
    return {
        f"{figure.key}-{number}": packed(panel.drawing.spec)
        for section in sections
        for _, figure in section.figures
        for number, panel in enumerate(figure.panels, 1)
    }


def _filled(templates: Environment, section: Section, moved: Collection[str] = ()) -> dict[str, Any]:
    """`moved`: sections whose blocks stand elsewhere on the page."""
    template = templates.get_template(f"{section.name}.html.j2")
    body = template.render(**section.view, moved=section.name in moved)
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
