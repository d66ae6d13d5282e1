"""docs/findings.md, from the registry: `python -m harness.findings.page > docs/findings.md`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from harness.findings.codes import Code
from harness.findings.meaning import Meaning
from harness.findings.registry import MEANINGS, TABLES

HEAD = """\
# Every finding, and what it means

A finding is a doubt that is told: with a code, a severity, a message and an advice. Nothing is deleted for it.
**invalid**: the run is kept and is in no figure. **warning**: it counts; some warnings withhold verdicts. **info**:
said aloud. Others void nothing: random blocks and intervals allow for other people's load or a GPU that slowed down. A
code means the same in every version; a record of another version may hold codes that are not here.

This page is written by `python -m harness.findings.page > docs/findings.md`.

| finding | severity | withholds verdicts |
|---|---|---|
"""


def page() -> str:
    return HEAD + "".join(f"{line}\n" for line in (*_overview(), *_sections()))


def _overview() -> Iterator[str]:
    for code, meaning in MEANINGS.items():
        yield f"| [`{code}`](#{code}) | {_severity(meaning)} | {meaning.withholds} |"


def _sections() -> Iterator[str]:
    for title, table in TABLES.items():
        yield f"\n## {title}"
        for code, meaning in table.items():
            yield from _section(code, meaning)


def _section(code: Code, meaning: Meaning) -> Iterator[str]:
    yield f"\n### {code}\n{meaning.means}\n"
    yield f"- Severity: {_severity(meaning)}"
    if meaning.withholds:
        yield f"- Withholds verdicts {meaning.withholds}"
    yield f"- What to do: {meaning.advice}"
    if meaning.rules:
        yield f"- Guards: {', '.join(f'[{rule}](rules.md#{rule.lower()})' for rule in meaning.rules)}"


def _severity(meaning: Meaning) -> str:
    return " or ".join(meaning.severities) or "none: it is told beside the ratio"


if __name__ == "__main__":
    sys.stdout.write(page())
