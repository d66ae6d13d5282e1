"""A verdict in one line, as soon as a campaign under way has it; pure."""

from __future__ import annotations

from harness.analysis.quantities import named
from harness.records import DecidedRatio, Provenance

VERSUS = {"better": "is better than", "worse": "is worse than", "equivalent": "is equivalent to"}


def words(ratio: DecidedRatio, provenance: Provenance | None) -> str:
    """Of a ratio that has one: "mlp train: jax 0.10.2 is better than torch 2.13.0 in time, 0.47 (0.41 to 0.54)"."""
    quantity = named(ratio.quantity)
    kind = f" ({_kind(provenance)})" if quantity.energy and provenance is not Provenance.MEASURED else ""
    span = "" if ratio.low is None or ratio.high is None else f" ({ratio.low:.3g} to {ratio.high:.3g})"
    return (
        f"{ratio.workload} {ratio.stage}: {ratio.treatment} {VERSUS[ratio.verdict]} {ratio.reference} "
        f"in {quantity.short}{kind}, {ratio.ratio:.3g}{span}"
    )


def _kind(provenance: Provenance | None) -> str:
    """Joules are never told without it (rule R40)."""
    return "of unknown provenance" if provenance is None else provenance.upper()
