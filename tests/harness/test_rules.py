"""docs/rules.md against the code: no citation of a rule that does not exist, no rule that nobody keeps in silence."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "rules.md"
CODE = ("harness", "suite", "reports", "images", "compose", "ansible")
WRITTEN = {".py", ".j2", ".js", ".css", ".toml", ".yml", ".yaml", ".md"}
CITED = re.compile(r"\bR\d+b?\b")
RANGE = re.compile(r"\bR\d+b?( to |-|–|\.\.)R\d+")
KEPT_BY_NOBODY = "- Kept by nobody: "
NUMBERS = [*range(1, 41)]


@cache
def rules() -> dict[str, str]:
    """R1 -> its section."""
    parts = re.split(r"^### (.+)$", PAGE.read_text(), flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def texts(*folders: str) -> Iterator[tuple[Path, str]]:
    files = (file for folder in folders for file in (ROOT / folder).rglob("*") if file.suffix in WRITTEN)
    yield from (
        (one, one.read_text()) for one in files if one not in (PAGE, Path(__file__)) and one.is_file()
    )


@cache
def cited_by_code() -> dict[str, set[Path]]:
    found: dict[str, set[Path]] = {}
    for path, text in texts(*CODE):
        for rule in CITED.findall(text):
            found.setdefault(rule, set()).add(path.relative_to(ROOT))
    return found


def test_the_page_holds_every_rule_once_in_order_with_its_reason_and_source() -> None:
    assert list(rules()) == [
        *(f"R{number}" for number in NUMBERS[:20]),
        "R20b",
        *(f"R{n}" for n in NUMBERS[20:]),
    ]
    for name, section in rules().items():
        assert section.strip().startswith("**"), name
        assert re.search(r"^- Why: \S", section, re.MULTILINE), name
        assert re.search(r"^- Source: (read|secondary|derived|decided|stated)\b", section, re.MULTILINE), name


@pytest.mark.parametrize("folder", [*CODE, "docs", "tests", "README.md", "CONTRIBUTING.md"])
def test_every_rule_that_is_cited_exists_and_is_named_by_itself(folder: str) -> None:
    path = ROOT / folder
    several = texts(folder) if path.is_dir() else [(path, path.read_text())]
    for file, text in several:
        assert set(CITED.findall(text)) <= set(rules()), file
        assert not RANGE.search(text), f"{file}: a range cites rules that it does not name"


@pytest.mark.parametrize("name", rules())
def test_a_rule_is_cited_by_the_code_that_keeps_it_or_says_why_by_none(name: str) -> None:
    assert (KEPT_BY_NOBODY in rules()[name]) == (name not in cited_by_code()), cited_by_code().get(name)
