"""One registry of findings: complete, consistent with what makes them, and alone in knowing the codes."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from harness.findings import page
from harness.findings.codes import Code, Severity
from harness.findings.registry import MEANINGS, TABLES
from harness.records import Finding

ROOT = Path(__file__).parents[3]
SOURCES = [file for top in ("harness", "suite", "reports") for file in sorted((ROOT / top).rglob("*.py"))]
OUTSIDE = [file for file in SOURCES if file.parent != ROOT / "harness" / "findings"]


@cache
def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text())


def test_every_code_has_one_meaning_in_one_table() -> None:
    assert sorted(code for table in TABLES.values() for code in table) == sorted(Code)


def test_every_code_is_used_by_the_code_that_finds_it() -> None:
    used = {
        node.attr
        for file in OUTSIDE
        for node in ast.walk(parsed(file))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "Code"
    }
    assert used == set(Code.__members__)


def strings(tree: ast.AST) -> Iterator[str]:
    """All that are written out, parts of f-strings, too; the remarks of studies have words of their own."""
    remarks = {id(one) for node in ast.walk(tree) for one in _of_a_remark(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in remarks:
            yield node.value


def _of_a_remark(node: ast.AST) -> list[ast.AST]:
    is_remark = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Remark"
    return list(node.args) if is_remark else []


def codes_in(tree: ast.AST) -> set[str]:
    """As whole strings, or before a colon; `drift` is a word and a column's name, too."""
    return {one.partition(":")[0] for one in strings(tree)} & (set(Code) - {Code.DRIFT})


def test_no_code_is_written_out() -> None:
    assert {file.relative_to(ROOT): found for file in OUTSIDE if (found := codes_in(parsed(file)))} == {}


def test_no_finding_is_made_past_the_registry() -> None:
    calls = (
        (file, node) for file in OUTSIDE for node in ast.walk(parsed(file)) if isinstance(node, ast.Call)
    )
    names = [(file, call.func) for file, call in calls if isinstance(call.func, ast.Name)]
    assert [file for file, name in names if name.id == "Finding"] == []


@pytest.mark.parametrize("text", ['x = "meter-lost"', 'f"not-verified: {x}"', 'f(code="swap-used")'])
def test_a_code_that_is_written_out_is_seen(text) -> None:
    assert codes_in(ast.parse(text))


def test_a_finding_takes_severity_and_advice_from_its_meaning() -> None:
    found = Finding.of(Code.SWAP_USED, "1 MiB")
    assert (found.severity, found.advice) == (Severity.WARNING, MEANINGS[Code.SWAP_USED].advice)
    assert Finding.of(Code.SWAP_USED, "1 MiB", advice="buy memory").advice == "buy memory"


def test_a_finding_whose_severity_depends_on_what_was_found_must_tell_it() -> None:
    with pytest.raises(ValueError, match="meter-lost"):
        Finding.of(Code.METER_LOST, "gone")
    with pytest.raises(ValueError, match="meter-lost"):
        Finding.of(Code.METER_LOST, "gone", severity=Severity.INFO)
    assert Finding.of(Code.METER_LOST, "gone", severity=Severity.INVALID).severity is Severity.INVALID


def test_what_withholds_verdicts_says_which_in_words_too() -> None:
    for code, meaning in MEANINGS.items():
        assert bool(meaning.withholds) == (bool(meaning.voids) or not meaning.severities), code


def test_the_rules_that_findings_guard_exist() -> None:
    rules = (ROOT / "docs" / "rules.md").read_text()
    assert all(f"### {rule}\n" in rules for one in MEANINGS.values() for rule in one.rules)


def test_the_page_is_as_the_registry_says() -> None:
    hint = "python -m harness.findings.page > docs/findings.md"
    assert (ROOT / "docs" / "findings.md").read_text() == page.page(), hint


def test_the_page_has_a_section_of_every_code() -> None:
    assert [line[4:] for line in page.page().splitlines() if line.startswith("### ")] == list(MEANINGS)
