"""What sections are made of: tables whose cells carry their exact value, and figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from reports.drawing import Drawing
from reports.formats import DASH, Unit, known, probability

TALL = 16  # rows


@dataclass(frozen=True)
class Column:
    """`key` names it in the markup; `badge` stands beside the title (the provenance of joules)."""

    key: str
    title: str
    numeric: bool = False
    badge: str = ""
    hint: str = ""


@dataclass(frozen=True)
class Cell:
    """`value` is exact and goes into data-value; `note` becomes a footnote of the table."""

    text: str
    value: str | None = None
    note: str = ""
    mark: str = ""  # a word that stands out, e.g. lowest, worse, failed
    minor: str = ""  # a smaller second line
    code: str = ""  # a command to copy


@dataclass(frozen=True)
class Row:
    """The first cell is the row's heading."""

    key: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Table:
    """`context` (the group) completes the caption for readers who hear the page; `detail` follows it, quietly."""

    key: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    context: str = ""
    detail: str = ""
    pairs: bool = False  # two columns, no wider than they need
    remarks: tuple[str, ...] = ()  # below the footnotes

    @property
    def tall(self) -> bool:
        """Scrolls inside its own box."""
        return len(self.rows) > TALL

    @property
    def notes(self) -> list[str]:
        """The footnotes, each once, in order of appearance."""
        return list(dict.fromkeys(cell.note for row in self.rows for cell in row.cells if cell.note))


@dataclass(frozen=True)
class Panel:
    """One chart of a figure; the label says in words what it shows."""

    title: str
    drawing: Drawing
    label: str
    badge: str = ""
    quantity: str = ""  # of the registry, where a reader may want others out of the way


@dataclass(frozen=True)
class Link:
    """To a table of the page ("#runs-table") or a file beside it ("runs/001-000-torch/samples.parquet")."""

    text: str
    href: str


@dataclass(frozen=True)
class Figure:
    """`links` lead to its numbers where the tables of its block do not hold them."""

    key: str
    caption: str
    panels: tuple[Panel, ...]
    links: tuple[Link, ...] = ()


@dataclass(frozen=True)
class Block:
    """One group's share of a section: a heading, sentences, a figure and tables."""

    key: str
    title: str
    sentences: tuple[Sentence, ...] = ()
    claims: tuple[Claims, ...] = ()
    figure: Figure | None = None
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True)
class Sentence:
    """`subject word rest`: the word is a verdict and stands out."""

    rest: str
    subject: str = ""
    word: str = ""


@dataclass(frozen=True)
class Claims:
    """Sentences on one quantity."""

    title: str
    sentences: tuple[Sentence, ...]
    badge: str = ""
    quantity: str = ""  # of the registry, where a reader may want others out of the way


def amount(
    value: object, unit: Unit, reason: str = "", mark: str = "", minor: str = "", digits: int = 3
) -> Cell:
    """A number in a column's unit; null is a dash with its reason."""
    number = known(value)
    if number is None:
        return Cell(DASH, note=reason or "unknown")
    return Cell(unit.text(number, digits), value=repr(number), mark=mark, minor=minor)


def chance(value: object, reason: str) -> Cell:
    """A p-value; null is a dash with its reason."""
    number = known(value)
    return Cell(DASH, note=reason) if number is None else Cell(probability(number), value=repr(number))


def grid(
    headings: Mapping[str, str],
    columns: Iterable[str],
    values: Mapping[Any, object],
    cell: Callable[[object], Cell],
) -> tuple[Row, ...]:
    """A row for each key and its heading, a cell for each column; `values` by row and column, null where missing."""
    keys = list(columns)
    return tuple(
        Row(key, (Cell(heading), *(cell(values.get((key, one))) for one in keys)))
        for key, heading in headings.items()
    )


def whole(value: object, reason: str = "") -> Cell:
    """A count."""
    number = known(value)
    return Cell(DASH, note=reason or "unknown") if number is None else Cell(f"{number:.0f}", f"{number:.0f}")
