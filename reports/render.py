"""One campaign -> one self-contained HTML page: no script, no request, the same bytes every time."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path
from types import ModuleType
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from harness.analysis.summary import Analysis, analyse
from harness.analysis.verdict import MARGIN
from harness.store import Campaign
from reports import sections
from reports.headline import headline

FOLDER = Path(__file__).parent


def render(campaign: Campaign, reference: str | None = None, margin: float = MARGIN) -> str:
    """The report. `reference` names the treatment to compare with; None takes each quantity's lowest mean.
    `margin`: the smallest difference that matters, as a share.

    Raises: UsageError for a reference that the campaign does not have.
    """
    analysis = analyse(campaign, reference, margin)
    templates = _templates()
    page = templates.get_template("page.html.j2").render(
        head=headline(analysis, campaign),
        campaign=campaign.record,
        style=Markup((FOLDER / "style.css").read_text()),
        sections=[_section(templates, module, analysis, campaign) for module in found_sections()],
    )
    # A worker's text may hold half a surrogate pair, which no file can.
    return page.encode("utf-8", "replace").decode("utf-8")


def found_sections() -> list[ModuleType]:
    """Every module in reports.sections, by its ORDER."""
    names = [one.name for one in pkgutil.iter_modules(sections.__path__)]
    modules = [importlib.import_module(f"{sections.__name__}.{name}") for name in names]
    return sorted(modules, key=lambda module: (module.ORDER, module.__name__))


def _section(
    templates: Environment, module: ModuleType, analysis: Analysis, campaign: Campaign
) -> dict[str, Any]:
    name = module.__name__.rpartition(".")[2]
    body = templates.get_template(f"{name}.html.j2").render(**module.view(analysis, campaign))
    return {"name": name, "title": module.TITLE, "body": Markup(body)}


def _templates() -> Environment:
    environment = Environment(
        loader=FileSystemLoader([FOLDER, FOLDER / "sections"]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["slug"] = lambda text: re.sub(r"[^a-z]+", "-", str(text).lower()).strip("-")
    return environment
