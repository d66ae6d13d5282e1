"""How far the sound runs of a treatment may part by rounding: the bounds of its workload, for its precision."""

from __future__ import annotations

from dataclasses import replace

from harness.conformance.tolerances import NARROW
from harness.inventory import specs
from harness.records import Treatment
from suite.spec import Spread

PRECISION = "precision"
NARROW_ITEMS = 0.5  # of rows: one of many words has another where two scores are the same in 16 bits


def spread_of(treatment: Treatment) -> Spread:
    """The workload's; wider where numbers have fewer digits than float32."""
    spec = specs.of(treatment)
    spread = spec.spread if spec else Spread()
    if (least := NARROW.get(str(treatment.settings.get(PRECISION)))) is None:
        return spread
    wider = {name: max(value, least) for name, value in vars(spread).items() if name != "tenfold_steps"}
    return replace(spread, **{**wider, "items": max(spread.items, NARROW_ITEMS)})
