"""Reads a rendered report with the standard library's parser."""

from __future__ import annotations

import base64
import gzip
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

SENTENCE = r'<p class="sentence"[^>]*>(.*?)</p>'
VOID = {"meta", "link", "br", "img", "input", "hr"}


@dataclass
class Cell:
    value: str | None
    text: str = ""


@dataclass
class Page(HTMLParser):
    """A report as a reader's program sees it.

    cells: table id -> row key -> column key -> Cell; headers and columns: table id -> texts and keys of its column
    heads. scripts: the sources of those that run; data blocks are none.
    """

    html: str
    cells: dict[str, dict[str, dict[str, Cell]]] = field(default_factory=dict)
    headers: dict[str, list[str]] = field(default_factory=dict)
    columns: dict[str, list[str]] = field(default_factory=dict)
    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)
    styles: list[str] = field(default_factory=list)
    text: str = ""

    def __post_init__(self) -> None:
        super().__init__()
        self._table = self._row = ""
        self._open: list[str] = []
        self._cell: Cell | None = None
        self._single = False
        self.feed(self.html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.tags.append((tag, named))
        if tag not in VOID:
            self._open.append(tag)
        if tag == "script" and "type" not in named:
            self.scripts.append("")
        if tag == "table":
            self._table = str(named["id"])
            assert self._table not in self.cells, f"two tables named {self._table}"
            self.cells[self._table], self.headers[self._table], self.columns[self._table] = {}, [], []
        if tag == "tr" and "data-row" in named:
            self._row = str(named["data-row"])
            self.cells[self._table][self._row] = {}
        if "data-column" in named:
            self.columns[self._table].append(str(named["data-column"]))
        elif tag in ("td", "th") and "thead" not in self._open:
            row = self.cells[self._table][self._row]
            self._cell = row[self.columns[self._table][len(row)]] = Cell(named.get("data-value"))
        if tag == "th":
            self._single = named.get("scope") == "col"  # and no head of several columns
        if tag == "th" and named.get("scope") == "col":
            self.headers[self._table].append("")
        if tag in ("h1", "h2", "h3"):
            self.headings.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag, f"</{tag}> closes something else"
        if tag in ("td", "th"):
            self._cell = None

    def handle_data(self, data: str) -> None:
        if "script" in self._open and "type" not in self.tags[-1][1]:
            self.scripts[-1] += data
        if "style" in self._open:
            self.styles.append(data)
        if {"style", "svg", "script"} & set(self._open):
            return
        self.text += data
        if self._cell is not None:
            self._cell.text += data
        if "thead" in self._open and "th" in self._open and self._single:
            self.headers[self._table][-1] += data
        if self._open and self._open[-1] in ("h1", "h2", "h3"):
            self.headings[-1] += data

    def packed(self, name: str) -> str:
        """What the page's script unpacks: "library" or "charts"."""
        found = re.search(rf'<script type="text/plain" id="{name}">(.*?)</script>', self.html)
        assert found, name
        return gzip.decompress(base64.b64decode(found[1])).decode()

    def value(self, table: str, row: str, column: str) -> float | None:
        found = self.cells[table][row][column].value
        return None if found is None else float(found)
