"""What a chart of Vega-Lite is made of, as the plain dictionaries that its specifications are.

Altair, whose names these are, holds each part against a schema and copies it many times: of a page with hundreds of
charts that took longer than what they show. Tests hold every chart of a report against that schema.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

VERSION = "6.4"  # of Vega-Lite: what the page draws with, and what its charts are written for
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.4.1.json"
KINDS = {"Q": "quantitative", "N": "nominal", "O": "ordinal"}
Part = dict[str, Any]
Datasets = dict[str, list[Part]]


def channel(shorthand: str, **told: Any) -> Part:
    """Of a field and its kind, "value:Q": what an axis, a colour, a shape or a line of a tooltip shows."""
    name, _, kind = shorthand.rpartition(":")
    return {**told, "field": name, "type": KINDS[kind]}


def end(name: str) -> Part:
    """Where a bar or a band ends that begins at another field: of the same kind as that one."""
    return {"field": name}


@dataclass(frozen=True)
class Rows:
    """Rows of a chart, a dictionary each."""

    values: list[Part]


@dataclass(frozen=True)
class Chart:
    """One layer: rows, what marks them, and which field each channel of the marks shows."""

    rows: Rows
    drawn: Part = field(default_factory=dict)
    encoding: Part = field(default_factory=dict)
    transform: tuple[Part, ...] = ()

    def mark(self, kind: str, **told: Any) -> Chart:
        return replace(self, drawn={"type": kind, **told})

    def encode(self, **channels: Any) -> Chart:
        return replace(self, encoding={**self.encoding, **channels})

    def calculate(self, **expressions: str) -> Chart:
        """Fields that Vega reckons of the others, each by an expression of its own."""
        more = ({"calculate": one, "as": name} for name, one in expressions.items())
        return replace(self, transform=(*self.transform, *more))

    def specified(self, datasets: Datasets) -> Part:
        """Its rows go to `datasets`, once for all layers that have the same."""
        alike = (name for name, values in datasets.items() if values == self.rows.values)
        name = next(alike, f"rows-{len(datasets)}")
        datasets[name] = self.rows.values
        some = {"transform": list(self.transform)} if self.transform else {}
        return {"data": {"name": name}, "mark": self.drawn, "encoding": self.encoding, **some}
