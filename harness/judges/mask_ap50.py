"""Average precision of masks, where an overlap of 0.50 is enough."""

from pathlib import Path

from harness.judges.average_precision import AveragePrecision


def of(data: Path) -> AveragePrecision:
    return AveragePrecision(data, "segm", "AP50")
