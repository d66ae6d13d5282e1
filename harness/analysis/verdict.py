"""Four verdicts and no fifth, each with its margin: the smallest difference that matters (rule R36)."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
import numpy.typing as npt

from harness.errors import UsageError

MARGIN = 0.02
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


class Verdict(StrEnum):
    """On a treatment's cost against the reference's, where less is better.

    EQUIVALENT: two one-sided tests show the ratio to lie within the margin, even where its interval excludes 1: a
    difference smaller than the margin is real and does not matter. BETTER, WORSE: the interval lies below, above 1
    and equivalence is not shown; the difference is real, and its size is the interval's to tell: it may be smaller
    than the margin. INCONCLUSIVE: neither is shown, which never means equal.
    """

    BETTER = "better"
    WORSE = "worse"
    EQUIVALENT = "equivalent"
    INCONCLUSIVE = "inconclusive"

    @property
    def turned(self) -> Verdict:
        """The same of a quantity where more is better."""
        return {Verdict.BETTER: Verdict.WORSE, Verdict.WORSE: Verdict.BETTER}.get(self, self)


def judge(low: Floats, high: Floats, equivalent: Flags) -> npt.NDArray[np.str_]:
    """Verdicts from intervals of the logarithm of the ratio, elementwise; nan, an unknown border, proves nothing."""
    conditions = [equivalent, np.less(high, 0), np.greater(low, 0)]
    return np.select(conditions, [Verdict.EQUIVALENT, Verdict.BETTER, Verdict.WORSE], Verdict.INCONCLUSIVE)


def log_margin(margin: float) -> float:
    """Half the width of the margin on logarithms: 2 % are ratios from 1/1.02 to 1.02.

    Raises: UsageError for a margin that is no share between 0 and 1.
    """
    if not 0 < margin < 1:
        raise UsageError(f"a margin lies between 0 and 1 (2 % is 0.02), not {margin:g}")
    return float(np.log1p(margin))
