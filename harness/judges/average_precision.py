"""COCO's average precision (Lin et al. 2014, arXiv:1405.0312), of what a run found in the prepared images.

Judged by faster-coco-eval, whose statistics are those of COCO's own pycocotools at an eighth of the time.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from weakref import WeakValueDictionary

import numpy as np
from faster_coco_eval import COCO, COCOeval_faster

from harness.judges import Answers
from harness.judges.detections import Result, Truth, results

STATISTICS = ("AP", "AP50")  # the first two of COCO's twelve
LIBRARY = "faster-coco-eval"


class CocoStatistics:
    """All statistics of the last answers, of a kind of overlap: "bbox" or "segm"; metrics share one."""

    def __init__(self, data: Path, kind: str) -> None:
        self._truth, self._kind = Truth.read(data), kind
        self._last: Answers = {}
        self._found: dict[str, float] = {}

    def statistics(self, answers: Answers) -> dict[str, float]:
        if answers is not self._last:
            self._found = self._judge(results(answers, self._truth, masks=self._kind == "segm"))
            self._last = answers
        return self._found

    def _judge(self, found: list[Result]) -> dict[str, float]:
        if not found:
            return dict.fromkeys(STATISTICS, 0.0)
        return dict(zip(STATISTICS, statistics(self._truth, found, self._kind), strict=False))


def statistics(truth: Truth, found: list[Result], kind: str) -> list[float]:
    """COCO's twelve, in the order of COCO's own summary."""
    wanted = COCO(truth.coco, use_deepcopy=True)
    judge = COCOeval_faster(wanted, wanted.loadRes(found), kind, print_function=lambda *_: None)
    judge.evaluate()
    judge.accumulate()
    judge.summarize()
    return [float(one) for one in np.asarray(judge.stats)[:12]]


_SHARED: WeakValueDictionary[tuple[Path, str], CocoStatistics] = WeakValueDictionary()


class AveragePrecision:
    """One of the statistics of a data set's test."""

    def __init__(self, data: Path, kind: str, statistic: str) -> None:
        self._all = _SHARED.setdefault((data, kind), CocoStatistics(data, kind))
        self._statistic = statistic
        self.how = f"{LIBRARY} {version(LIBRARY)} {kind} {statistic}, all areas, 100 detections an image"

    def judge(self, answers: Answers) -> float:
        return self._all.statistics(answers)[self._statistic]
