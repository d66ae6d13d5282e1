"""docs/reference/statistics.md: every method by name, with its formula and source."""

from __future__ import annotations

from collections.abc import Iterator

from harness.analysis.methods import TABLES, Method

HEAD = """\
# Statistics by name

What each method computes, whose it is, and what ours is held against in the tests; what may be concluded from them:
[statistics.md](../statistics.md). This page is made by `make reference`.

d are the log differences ln(treatment / reference), one a block: n of them, with mean m and standard deviation s (by
n - 1). t(q; f) is Student's quantile with f degrees of freedom, k a number of ratios or treatments. `--errors` takes
the names of the second table, `--test` the paired tests (`paired-log-t`, `sign-flip`, `signed-rank`), `--rule` the
cleaning rules.
"""
TABLE = "\n| method | what | formula | source | held against |\n|---|---|---|---|---|\n"


def page() -> str:
    return HEAD + "".join(_sections())


def _sections() -> Iterator[str]:
    for title, table in TABLES.items():
        yield f"\n## {title}\n{TABLE}" + "".join(_row(name, one) for name, one in table.items())


def _row(name: str, one: Method) -> str:
    formula = f"`{one.formula}`".replace("|", "\\|") if one.formula else ""
    return f"| `{name}` | {one.what} | {formula} | {one.source} | {one.held_against} |\n"
