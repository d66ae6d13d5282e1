"""Tables of the page for a paper: LaTeX with the booktabs package, one number per cell, units in the heads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reports.formats import DASH, THIN
from reports.parts import Cell, Column, Table

# One pass over the text, so that what stands for a character is never replaced again.
SPECIAL = str.maketrans({
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", THIN: r"\,", "×": r"$\times$", "–": "--", "−": "$-$",
    "·": r"$\cdot$", "µ": r"$\mu$", "±": r"$\pm$", "₂": r"$_2$", "∞": r"$\infty$", "\n": " ", "\r": " ", "\t": " ",
})  # fmt: skip
PREAMBLE = "% Needs \\usepackage{booktabs,graphicx} and, for quotation marks, \\usepackage[T1]{fontenc}.\n"
FIT = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"  # never wider than the page


def latex(tables: Iterable[Table], statement: str) -> str:
    """A table environment each; `statement` (where the joules come from) ends every caption."""
    return PREAMBLE + "".join(f"\n{_environment(one, statement)}" for one in tables)


def escaped(text: str) -> str:
    """Text that LaTeX prints as it is; what cannot be printed is left out."""
    return "".join(one for one in text if one.isprintable() or one in f"\n\r\t{THIN}").translate(SPECIAL)


def _environment(table: Table, statement: str) -> str:
    units = [_unit(column, [row.cells[i] for row in table.rows]) for i, column in enumerate(table.columns)]
    body = [zip(row.cells, units, strict=True) for row in table.rows]
    aligned = "".join("r" if column.numeric else "l" for column in table.columns)
    lines = [
        r"\begin{table}", r"\centering\small\setlength{\tabcolsep}{4pt}",
        rf"\caption{{{_caption(table, statement)}}}", rf"\label{{tab:{escaped(table.key)}}}",
        FIT, rf"\begin{{tabular}}{{{aligned}}}", r"\toprule",
        _row(map(_head, table.columns, units)), r"\midrule",
        *(_row(_body(cell, unit, table.notes) for cell, unit in cells) for cells in body),
        r"\bottomrule", r"\end{tabular}}", *_notes(table), r"\end{table}",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _caption(table: Table, statement: str) -> str:
    title = ", ".join(one for one in (table.caption, table.context) if one)
    detail = table.detail[:1].upper() + table.detail[1:]
    return escaped(". ".join([*(part.rstrip(".") for part in (title, detail) if part), statement]))


def _unit(column: Column, cells: Sequence[Cell]) -> str:
    """The unit that every number of a column carries; empty if they have none."""
    found = {cell.text.partition(THIN)[2].split(THIN)[-1] for cell in cells if cell.text != DASH}
    unit = found.pop() if len(found) == 1 and column.numeric else ""
    return "" if unit.isdigit() else unit


def _head(column: Column, unit: str) -> str:
    """Where the joules come from is in the caption."""
    return escaped(f"{column.title} ({unit})" if unit else column.title)


def _body(cell: Cell, unit: str, notes: list[str]) -> str:
    text = cell.text.removesuffix(f"{THIN}{unit}") if unit else cell.text
    words = " ".join(part for part in (text or cell.mark, cell.minor) if part)
    return escaped(words) + (f"$^{{{notes.index(cell.note) + 1}}}$" if cell.note else "")


def _row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _notes(table: Table) -> list[str]:
    numbered = [f"$^{{{number}}}$ {escaped(note)}" for number, note in enumerate(table.notes, 1)]
    texts = [*numbered, *(escaped(remark) for remark in table.remarks)]
    return [rf"\par\footnotesize {text}" for text in texts]
