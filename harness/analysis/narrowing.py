"""Less than a campaign holds: some workloads, stages and frameworks of it. Pure; verdicts stay those of the whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from harness.analysis.groups import TREATMENT, name_of
from harness.errors import UsageError
from harness.records import Treatment
from harness.suggest import unknown

KINDS = ("workloads", "stages", "frameworks")  # as options are called


@dataclass(frozen=True)
class Narrowing:
    """Names as on the command line; none of a kind means all. A framework: "torch", or "torch@2.13.0"."""

    workloads: Sequence[str] = ()
    stages: Sequence[str] = ()
    frameworks: Sequence[str] = ()

    @classmethod
    def of(cls, asked: Mapping[str, Sequence[str]]) -> Narrowing:
        """From options by their names."""
        return cls(asked["workloads"], asked["stages"], asked["frameworks"])

    @property
    def everything(self) -> bool:
        return not (self.workloads or self.stages or self.frameworks)

    @property
    def words(self) -> str:
        return ", ".join([*self.workloads, *self.stages, *self.frameworks])

    def beside(self, reference: str) -> Narrowing:
        """With the reference, where some frameworks alone are asked for."""
        return replace(self, frameworks=(*self.frameworks, reference)) if self.frameworks else self

    def require(self, treatments: Iterable[Treatment]) -> None:
        """Raises: UsageError for a name that none of these treatments bears, with the nearest."""
        several = list(treatments)
        kinds = (
            ("workload", self.workloads, [one.workload for one in several]),
            ("stage", self.stages, [one.stage for one in several]),
        )
        for kind, wanted, names in kinds:
            known = list(dict.fromkeys(names))
            for name in wanted:
                if name not in known:
                    raise UsageError(unknown(f"{kind} of the campaign", name, known))
        names = list(dict.fromkeys(map(name_of, several)))
        for name in self.frameworks:
            if not any(_fits(name, one) for one in names):
                known = list(dict.fromkeys([one.framework for one in several]))
                raise UsageError(unknown("framework of the campaign", name, known))

    def of_work(self, workload: str, stage: str) -> bool:
        return (not self.workloads or workload in self.workloads) and (
            not self.stages or stage in self.stages
        )

    def of_treatment(self, name: str) -> bool:
        return not self.frameworks or any(_fits(one, name) for one in self.frameworks)

    def rows(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Of a frame with workload, stage and `treatment`."""
        keys = zip(frame["workload"], frame["stage"], frame[TREATMENT], strict=True)
        kept = [self.of_work(work, stage) and self.of_treatment(name) for work, stage, name in keys]
        return frame.loc[pd.Series(kept, index=frame.index, dtype=bool)]


EVERYTHING = Narrowing()


def _fits(wanted: str, treatment: str) -> bool:
    plain = wanted.replace("@", " ")
    return treatment in (plain, f"{plain} ") or treatment.rpartition(" ")[0] == plain
