"""What a null campaign tells of its machine, as it is kept; numbers as shares, logarithms natural, null unknown."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AwareDatetime, ConfigDict, Field

from harness.records import FORMAT_VERSION, Channel, Count, Record, Treatment

MOST_LETTERS = 300
Word = Annotated[str, Field(max_length=MOST_LETTERS)]
Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0)]
Correlation = Annotated[float, Field(ge=-1, le=1)]
MOST_KEPT = 100  # calibrations of a home, the latest


class Noise(Record):
    """Of one quantity.

    `sd` of log(A / B) within blocks, which is 0 in truth, so around 0, with the upper end of its one-sided 95 %
    interval; `resolves` is the smallest difference that as many `blocks` find in 80 % of campaigns, and the same for
    that upper end. `ratio`, `low`, `high`, `verdict` of A against B; of so many `relabelled` campaigns so many had
    `false_verdicts`. Drift and lag 1 are of the runs in their order.
    """

    model_config = ConfigDict(allow_inf_nan=False)

    quantity: Word
    blocks: Annotated[int, Field(ge=2, lt=2**31)]
    sd: Annotated[float, Field(ge=0, le=100)]
    sd_at_most: Annotated[float, Field(ge=0, le=1000)]
    resolves: Share
    resolves_at_most: Share
    ratio: Positive
    low: Positive | None
    high: Positive | None
    verdict: Word
    false_verdicts: Count
    relabelled: Annotated[int, Field(ge=1, lt=2**31)]
    drift_rho: Correlation | None
    drift_p: Share | None
    lag1: Correlation | None
    provenance: Word | None = None  # of an energy; unknown of those kept before it was told


class Calibration(Record):
    """One null campaign, without what tells whose machine it was: a copy goes with every campaign it counts for.

    `mode` in force, as the worker told it; `suite_sha256` of the workloads' sources.
    """

    created: AwareDatetime
    profile: Word
    treatment: Treatment
    mode: Word | None
    isolation: Word
    blocks: Annotated[int, Field(ge=2, lt=2**31)]
    seed: Annotated[int, Field(ge=0, lt=2**63)]
    suite_sha256: Word
    noise: Annotated[tuple[Noise, ...], Field(min_length=1, max_length=100)]


class Calibrated(Record):
    """A calibration with the machine, its settings and the channels that it holds for."""

    machine: dict[str, Any]
    channels: tuple[Channel, ...]
    calibration: Calibration


class Calibrations(Record):
    """calibration.json of the home folder."""

    format_version: int = FORMAT_VERSION
    calibrations: Annotated[tuple[Calibrated, ...], Field(max_length=MOST_KEPT)]


class KeptCalibration(Record):
    """calibration.json of a campaign: what counted for it as it began, or the `reason` why nothing did."""

    format_version: int = FORMAT_VERSION
    calibration: Calibration | None
    reason: Annotated[str, Field(max_length=1000)] = ""
