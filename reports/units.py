"""Units chosen once for a page: what is 418 kJ in one table is never 0.418 MJ in another.

By the typical size of each family of quantities (harness.analysis.typical). Apart from it stand, each with a unit of
its own: functions and operators, thousandths of a run; what a machine has, as its memory; and waiting times of a plan.
"""

from __future__ import annotations

from harness.analysis.quantities import named
from harness.analysis.quantity import Quantity, Scope
from harness.analysis.summary import Analysis
from reports.formats import Unit, unit_for

SAMPLES = named("stage_energy_j_per_sample").family


def unit_of(analysis: Analysis, quantity: Quantity) -> Unit:
    """Of this quantity on this page, wherever it stands."""
    family = SAMPLES if _joules_of_one(quantity) and SAMPLES in analysis.typical else quantity.family
    return unit_for([analysis.typical.get(family)], quantity.unit)


def _joules_of_one(quantity: Quantity) -> bool:
    """Of the stage, per sample, or per what else it counts: one row has both."""
    return quantity.scope is Scope.STAGE and quantity.energy and quantity.per not in ("", "epoch")


def unit_of_runs(analysis: Analysis, base: str) -> Unit:
    """Of "J", "s", "W" or "bytes" of runs, of what they are made of, and of the machine meanwhile."""
    return unit_for([analysis.typical.get(base)], base)
