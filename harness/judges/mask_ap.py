"""Average precision of masks, the mean over overlaps of 0.50 to 0.95, as COCO ranks detectors."""

from pathlib import Path

from harness.judges.average_precision import AveragePrecision


def of(data: Path) -> AveragePrecision:
    return AveragePrecision(data, "segm", "AP")
