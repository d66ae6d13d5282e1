"""How the error of a campaign that might have stopped earlier was shared out before its first run, in words."""

from harness.records import Until
from reports.formats import THIN


def each_ratio(until: Until) -> str:
    """Of all looks at a ratio together."""
    if until.opening is None:
        return _percent(until.alpha)
    workload, _, stage, *_ = until.opening.work
    own, other = _percent(until.opening.alpha), _percent(until.alpha)
    return f"{own} for {workload} {stage}, which came first, in {other} for each other work"


def _percent(share: float) -> str:
    """Two digits: it is 5 % divided by a number of ratios."""
    return f"{100 * share:.2g}{THIN}%"
