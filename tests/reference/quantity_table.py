"""docs/reference/quantities.md: every row of the registry of quantities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.analysis import quantities
from harness.analysis.quantity import Quantity
from suite.task import Direction

HEAD = """\
# Quantities, a list

Every column of costs that runs may have, as the registry has them (`harness/analysis/quantities.py`); what they mean,
and how to add one: [quantities.md](../quantities.md). This page is made by `make reference`.

`--quantity` takes the name, or the short one. A verdict is told where better has a direction and a ratio is made;
*parts* are those of a stage, as prefill and decode.
"""
TABLE = "\n| quantity | is | unit | `--quantity` | of | better | ratio | mean |\n|---|---|---|---|---|---|---|---|\n"
BETTER = {Direction.LOWER: "lower", Direction.HIGHER: "higher", None: "neither"}


def parts() -> dict[str, Sequence[Quantity]]:
    return {
        "Of every run": quantities.QUANTITIES,
        "Of each unit of work beside samples": quantities.of_a_unit("token"),
        "Of prefill and decode": quantities.SERVING,
        "Of requests that arrive": quantities.ARRIVING,
        "Of runs on a GPU": (quantities.GPU_MEMORY,),
        "Where the plan states a peak": (quantities.UTILISATION,),
    }


def page() -> str:
    return HEAD + "".join(_sections())


def _sections() -> Iterator[str]:
    for title, rows in parts().items():
        yield f"\n## {title}\n{TABLE}" + "".join(map(_row, rows))


def _row(one: Quantity) -> str:
    cells = (
        f"`{one.name}`",
        one.title,
        one.unit,
        f"`{one.short}`" if one.short else "",
        one.scope,
        "as its metric" if one.of_quality else BETTER[one.direction],
        "yes" if one.compared else "no",
        one.mean,
    )
    return f"| {' | '.join(cells)} |\n"
