"""The sections there are, and the figures and tables within what a section returns."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypeVar

from harness.analysis.summary import Analysis
from harness.store import Campaign
from reports import campaign_difference, comparison, sections
from reports.flames import Flame
from reports.parts import Block, Figure, Table

P = TypeVar("P")
VERDICT = "verdict"
OF_COUNTED = {
    "overview",
    "verdict",
    "costs",
    "phases",
    "quality",
}  # the others leave themselves out where no run counts


@dataclass(frozen=True)
class Section:
    """`view` is what the template of this name is filled with."""

    name: str
    title: str
    view: Mapping[str, Any]
    order: int = 0
    about: str = ""  # of which campaign, against which reference: what an exported figure must say

    @property
    def figures(self) -> Iterator[tuple[str, Figure]]:
        """Every figure with the title of the block it stands in."""
        return _within(self.view, Figure, "")

    @property
    def flames(self) -> Iterator[tuple[str, Flame]]:
        return _within(self.view, Flame, "")

    @property
    def tables(self) -> Iterator[tuple[str, Table]]:
        return _within(self.view, Table, "")


def sections_of(
    analysis: Analysis,
    campaign: Campaign,
    against: comparison.CampaignComparison | None = None,
    difference: campaign_difference.CampaignDifference | None = None,
) -> list[Section]:
    """All that have something to show, in their order; what is compared with another campaign follows the first.

    A campaign that only profiles has no run that counts: it goes without the sections that are of such runs alone.
    """
    modules = [one for one in found_sections() if not (analysis.profiles.alone and _name(one) in OF_COUNTED)]
    found = [one for one in (_section(module, analysis, campaign) for module in modules) if one.view]
    after = 1 + max((place for place, one in enumerate(found) if one.name == VERDICT), default=0)
    if against is not None:
        view = comparison.view(analysis, against)
        found.insert(
            after, Section(comparison.NAME, comparison.TITLE, view, about=campaign.record.campaign_id)
        )
    if difference is not None:
        name, title = campaign_difference.NAME, campaign_difference.TITLE
        found.insert(
            after, Section(name, title, campaign_difference.view(analysis.profiles.types, difference))
        )
    return found


def _section(module: ModuleType, analysis: Analysis, campaign: Campaign) -> Section:
    reference = f"reference: {name}" if (name := analysis.reference.treatment) else ""
    about = " · ".join(filter(None, (reference, f"campaign {campaign.record.campaign_id}")))
    return Section(_name(module), module.TITLE, module.view(analysis, campaign), module.ORDER, about)


def _name(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


def found_sections() -> list[ModuleType]:
    """Every module in reports.sections, by its ORDER."""
    names = [one.name for one in pkgutil.iter_modules(sections.__path__)]
    modules = [importlib.import_module(f"{sections.__name__}.{name}") for name in names]
    return sorted(modules, key=lambda module: (module.ORDER, module.__name__))


def _within(part: object, kind: type[P], title: str) -> Iterator[tuple[str, P]]:
    if isinstance(part, kind):
        yield title, part
    elif isinstance(part, Block):
        yield from _within([part.figure, part.tables], kind, part.title)
    elif isinstance(part, Mapping):
        yield from _within(list(part.values()), kind, title)
    elif isinstance(part, list | tuple):
        for one in part:
            yield from _within(one, kind, title)
