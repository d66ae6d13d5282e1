"""A stranger's campaign may name things as markup, scripts or commands: a page and a paper show them as text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.analysis.summary import analyse
from harness.records import Finding, Outcome
from harness.store import Campaign
from reports.contents import sections_of
from reports.latex import escaped, latex
from reports.render import render
from reports.stills import FORMS, stills
from tests.campaigns import Recipe, build

EVIL = "</script><script>evil()</script><img src=x onerror=evil()>\\input{/etc/passwd}{{7*7}}"
BROKEN = "a\x00\x01\x1b\x7f\x9b\ufffe\uffff\u202eb"


def campaign(folder: Path, text: str) -> Campaign:
    finding = Finding(code=text, severity="warning", message=text, advice=text)
    recipe = Recipe(
        frameworks={f"one{text}": 1.0, f"two{text}": 1.3, f"three{text}": 1.1}, workload=text, dataset=text,
        settings=({text: text},), outcomes={(f"one{text}", 1): Outcome.FAILED}, reason=text, findings=(finding,),
        run_findings=(finding,), machine={"hostname": text, text: text},
    )  # fmt: skip
    return build(folder, recipe)


def test_no_markup_of_a_stranger_reaches_the_page(tmp_path: Path) -> None:
    page = render(campaign(tmp_path / "c", EVIL))
    assert (
        "<script>evil" not in page
        and "<img src=x" not in page
        and "49" not in re.findall(r"passwd}(\d+)", page)
    )
    assert "&lt;script&gt;evil()" in page and "{{7*7}}" in page


def test_no_command_of_a_stranger_reaches_the_paper(tmp_path: Path) -> None:
    found = campaign(tmp_path / "c", EVIL)
    sections = sections_of(analyse(found), found)
    text = latex([table for one in sections for _, table in one.tables], EVIL)
    assert r"\input" not in text and r"\textbackslash{}input\{/etc/passwd\}" in text
    assert escaped("\\write18{rm}^^5cinput % # $") == (
        r"\textbackslash{}write18\{rm\}\textasciicircum{}\textasciicircum{}5cinput \% \# \$"
    )


@pytest.mark.parametrize("form", [None, *FORMS])
def test_what_no_picture_can_hold_is_written_as_its_escape(tmp_path: Path, form: str | None) -> None:
    """The library that draws aborts the process at a control character: this test would not come back."""
    found = campaign(tmp_path / "c", BROKEN)
    if form is None:
        assert r"a\x00\x01\x1b" in render(found)
    else:
        assert list(stills(sections_of(analyse(found), found), form))
