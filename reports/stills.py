"""Every figure of the page as a file by itself, for papers and slides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from harness.records import Provenance
from reports.contents import Section
from reports.parts import Panel

FORMS = ("svg", "pdf", "png")
BY_CLOCK = "by the clock"  # what a time is, as a badge says what joules are
LONGEST = 120  # characters of a name, about


def stills(sections: Iterable[Section], form: str) -> Iterator[tuple[str, bytes]]:
    """File name and content of each chart, e.g. phases-mnist-cnn-train-digits-energy-per-phase.svg."""
    taken = set[str]()
    for section in sections:
        for title, figure in section.figures:
            for panel in figure.panels:
                name = _free(_named(f"{section.name} {title}", panel.title), taken)
                yield f"{name}.{form}", panel.drawing.still(form, _told(section, title, panel))
        for _, flame in section.flames:
            name = _free(_named(section.name, flame.title), taken)
            yield f"{name}.{form}", flame.drawing.still(form, (flame.title, section.about))


def _told(section: Section, title: str, panel: Panel) -> tuple[str, str]:
    """A figure that travels says by itself of what it is, what its joules are, and where it comes from."""
    badge = panel.badge.upper() if panel.badge and panel.badge != Provenance.MEASURED else panel.badge
    badge = badge or (BY_CLOCK if panel.quantity == "duration_s" else "")
    return panel.title, " · ".join(filter(None, (title, badge, section.about)))


def _named(of: str, panel: str) -> str:
    """Whole words, and what tells a panel from its neighbours in any case."""
    last = _slug(panel)[:LONGEST]
    words = _slug(of)[: LONGEST - len(last)]
    cut = words if words == _slug(of) else words.rpartition("-")[0]
    return "-".join(filter(None, (cut, last)))


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.")


def _free(name: str, taken: set[str]) -> str:
    """The name, with a number where two figures would share it."""
    numbers = (f"{name}-{number}" for number in range(2, len(taken) + 3))
    free = next(one for one in (name, *numbers) if one not in taken)
    taken.add(free)
    return free
