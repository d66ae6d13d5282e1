"""What `suite gate` says, and the exit code that it ends with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from harness.analysis import gating, limits
from harness.analysis.gating import ABSENT, Expected
from harness.analysis.groups import treatments_of
from harness.analysis.narrowing import Narrowing
from harness.analysis.quantity import Quantity
from harness.analysis.reference import fitting
from harness.analysis.touching import Touching
from harness.cli import calibration_told, comparing, markdown_told, provenance_told, ratios_told, screen
from harness.cli.comparing import Compared
from harness.cli.sides import sides, with_campaigns
from harness.errors import UsageError
from harness.exports.counts import counted
from harness.exports.csv_text import as_text
from reports.formats import plural

MOST_NAMED = 3  # of the ratios that decided, in one line
EXIT_CODES = {
    limits.GateOutcome.PASS: 0,
    limits.GateOutcome.REGRESSION: 1,
    limits.GateOutcome.INCONCLUSIVE: 3,
}


def told(quantities: Sequence[Quantity], max_increase: float, form: str, **asked: Any) -> int:
    """`asked`: harness.cli.ratios_asked. Raises: UsageError where there is nothing to gate."""
    names = [one.name for one in dict.fromkeys(quantities)]
    found = comparing.compared(**asked)
    touching = Touching.of((*found.new, *found.old))
    rows = gating.gated(
        touching.noted(found.rows),
        _expected(found, asked["reference"], asked["candidate"]),
        names,
        max_increase,
    )
    outcome = limits.overall(rows["outcome"])
    rows = touching.noted(rows).assign(decided=rows["outcome"] == outcome)
    rows = with_campaigns(rows, found.new, found.old)
    resolved = calibration_told.CalibrationTold.of(found.campaigns).lines(
        found.rows[found.rows["quantity"].isin(names)], max_increase
    )
    ends = [*provenance_told.lines(found.campaigns), _decided(rows)]
    title = f"{outcome}: {_allowed(quantities, max_increase)}"
    _say(form, title, rows, [*resolved, *touching.lines(rows)], ends)
    return EXIT_CODES[outcome]


def _say(form: str, title: str, rows: pd.DataFrame, doubts: Sequence[str], ends: Sequence[str]) -> None:
    """`ends`: what joules they are, and which ratios decided."""
    if form == "csv":
        screen.echo(as_text(counted(rows)))
    elif form == "json":
        screen.echo(f"{counted(rows).to_json(orient='records', indent=1)}\n")
    elif form == "markdown":
        markdown_told.say(f"suite gate: {title}", rows, "outcome", [*ends, *_shown_nothing(rows)], doubts)
    else:
        _print(rows)
        for line in (*doubts, *ends, title):
            screen.say(line)


def _decided(rows: pd.DataFrame) -> str:
    """Which of the rows made the outcome: one regression is enough, and all must pass; or leave it open."""
    deciding = rows[rows["decided"]]
    names = [_named(row) for row in deciding.to_dict("records")[:MOST_NAMED]]
    more = f" and {len(deciding) - len(names)} more" if len(deciding) > len(names) else ""
    done = "left open" if set(deciding["outcome"]) <= {limits.GateOutcome.INCONCLUSIVE} else "decided"
    return f"{done} by {len(deciding)} of {plural(len(rows), 'ratio')}: {'; '.join(names)}{more}"


def _named(row: dict[Any, Any]) -> str:
    known = pd.notna(row["ratio"]) and pd.notna(row["low"])
    interval = f", {row['ratio']:.3f} ({row['low']:.3f} to {row['high']:.3f})" if known else ""
    return f"{_place(row)}{interval}"


def _place(row: dict[Any, Any]) -> str:
    name, other = sides(row)
    return f"{row['quantity']} of {row['workload']} {row['stage']}, {name} against {other}"


def _allowed(quantities: Sequence[Quantity], max_increase: float) -> str:
    """Of what more is better, the inverse may rise."""
    fall = max_increase / (1 + max_increase)
    gains, costs = ([one for one in quantities if gating.is_gain(one.name) is more] for more in (True, False))
    told = ((costs, f"may rise by {100 * max_increase:g}%"), (gains, f"may fall by {100 * fall:.3g}%"))
    return "; ".join(
        f"{', '.join(one.short or one.name for one in some)} {may}" for some, may in told if some
    )


def _expected(found: Compared, reference: str | None, candidate: str | None) -> list[Expected]:
    """Raises: UsageError for names that fit nothing, and where there is nothing to gate."""
    if found.old:
        expected = gating.between(found.new, found.old, found.pairs, chosen=bool(reference or candidate))
        return _narrowed(expected, found.narrowing)
    (side,) = found.new
    names = treatments_of(side.analysis.groups)
    wanted = candidate and fitting(candidate, names, "candidate")
    if expected := _narrowed(gating.within(side, fitting(reference or "", names), wanted), found.narrowing):
        return expected
    raise UsageError(comparing.ONE_TREATMENT)


def _narrowed(expected: Sequence[Expected], narrowing: Narrowing) -> list[Expected]:
    """What is missing altogether goes by the name of what it would be held against."""
    names = [one.reference if one.treatment == ABSENT else one.treatment for one in expected]
    return [
        one
        for one, name in zip(expected, names, strict=True)
        if narrowing.of_work(one.work[0], one.work[2]) and narrowing.of_treatment(name)
    ]


def _print(rows: pd.DataFrame) -> None:
    """All ratios, and a line for each that has shown nothing."""
    told = rows["ratio_reason"].where(rows["ratio"].isna(), None)
    ratios_told.print_ratios(rows.assign(ratio_reason=told, rests_on=""), verdicts="outcome")
    for line in _shown_nothing(rows):
        screen.say(line)


def _shown_nothing(rows: pd.DataFrame) -> Iterator[str]:
    for row in rows[rows["why"] != ""].to_dict("records"):
        yield f"{row['outcome']}: {_place(row)}: {row['why']}"
