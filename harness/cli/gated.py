"""What `suite gate` says, and the exit code that it ends with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from harness.analysis import gating, limits
from harness.analysis.gating import Expected
from harness.analysis.groups import TREATMENT, treatments_of
from harness.analysis.quantity import Quantity
from harness.analysis.reference import fitting
from harness.cli import calibration_told, comparing, provenance_told, ratios_told, screen
from harness.cli.comparing import Compared
from harness.errors import UsageError

EXIT_CODES = {
    limits.GateOutcome.PASS: 0,
    limits.GateOutcome.REGRESSION: 1,
    limits.GateOutcome.INCONCLUSIVE: 3,
}


def told(quantities: Sequence[Quantity], max_increase: float, **asked: Any) -> int:
    """`asked`: harness.cli.ratios_asked. Raises: UsageError where there is nothing to gate."""
    names = [one.name for one in dict.fromkeys(quantities)]
    found = comparing.compared(**asked)
    rows = gating.gated(
        found.rows, _expected(found, asked["reference"], asked["candidate"]), names, max_increase
    )
    _print(rows)
    calibration_told.CalibrationTold.of(found.campaigns).say(
        found.rows[found.rows["quantity"].isin(names)], max_increase
    )
    provenance_told.say(found.campaigns)
    outcome = limits.overall(rows["outcome"])
    screen.say(f"{outcome}: {_allowed(quantities, max_increase)}")
    return EXIT_CODES[outcome]


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
        return gating.between(found.new, found.old, found.pairs, chosen=bool(reference or candidate))
    (side,) = found.new
    names = treatments_of(side.analysis.groups)
    wanted = candidate and fitting(candidate, names, "candidate")
    if expected := gating.within(side, fitting(reference or "", names), wanted):
        return expected
    raise UsageError(comparing.ONE_TREATMENT)


def _print(rows: pd.DataFrame) -> None:
    """All ratios, and a line for each that has shown nothing."""
    told = rows["ratio_reason"].where(rows["ratio"].isna(), None)
    ratios_told.print_ratios(rows.assign(verdict=rows["outcome"], ratio_reason=told, rests_on=""))
    for row in rows[rows["why"] != ""].to_dict("records"):
        name = f"{row['quantity']} of {row['workload']} {row['stage']}, {row[TREATMENT]} against {row['reference']}"
        screen.say(f"{row['outcome']}: {name}: {row['why']}")
