"""How much a plan may ask for: counted before any of it is made."""

from __future__ import annotations

from harness.errors import UsageError

MOST_TREATMENTS = 10_000
MOST_RUNS = 100_000


def require_few_treatments(count: int, where: str = "") -> None:
    """Raises: UsageError for more treatments than a plan may have."""
    if count > MOST_TREATMENTS:
        raise UsageError(f"{where}more than the {MOST_TREATMENTS} treatments of a plan: split it")


def require_few_runs(treatments: int, repetitions: int) -> None:
    """Raises: UsageError for more runs than a campaign may have."""
    if max(1, treatments) * repetitions > MOST_RUNS:
        raise UsageError(
            f"{treatments} treatments x {repetitions} blocks are more than the {MOST_RUNS} runs of a campaign: "
            "fewer blocks with -r, or fewer treatments"
        )
