"""One section of a report by itself, as its page has it, and the numbers inside its charts."""

from __future__ import annotations

import importlib
import io
from collections.abc import Iterator
from typing import Any

import pandas as pd

from harness.analysis.summary import Analysis
from harness.store import Campaign
from reports.contents import Section
from reports.parts import Panel
from reports.render import _filled, _templates
from tests.reports.scrape import Page


def section_of(name: str, analysis: Analysis, campaign: Campaign) -> Section | None:
    """None where the page goes without it."""
    module = importlib.import_module(f"reports.sections.{name}")
    section = Section(name, module.TITLE, module.view(analysis, campaign))
    return section if section.view else None


def page_of(section: Section) -> Page:
    return Page(_filled(_templates(), section)["body"])


def panels_of(section: Section) -> dict[tuple[str, str], Panel]:
    """By the title of their block and their own."""
    return {(title, panel.title): panel for title, figure in section.figures for panel in figure.panels}


def numbers_in(panel: Panel) -> list[pd.DataFrame]:
    """The rows of each of a chart's layers that have their own."""
    written = (pd.DataFrame(values).to_csv(index=False) for values in _values(panel.drawing.spec))
    return [pd.read_csv(io.StringIO(text)) for text in written]


def _values(spec: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """A layer's own data, or that of `datasets`, which several layers may name: once."""
    named = spec.get("datasets", {})
    data = [part.get("data", {}) for part in [spec, *spec.get("layer", ())]]
    yield from (named[name] for name in dict.fromkeys(one["name"] for one in data if "name" in one))
    yield from (one["values"] for one in data if isinstance(one.get("values"), list))
