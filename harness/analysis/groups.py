"""Which treatments do the same work and may be compared: all but framework and version alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.devices import is_gpu
from harness.inventory.specs import PRETRAINED
from harness.records import Purpose, Treatment
from harness.records.planned import Work

if TYPE_CHECKING:  # whoever asks for names alone does not wait for it
    import pandas as pd

    from harness.store import Campaign

GROUP = ["workload", "dataset", "stage", "device", "settings"]
SHOWN_DIGITS = 12  # of a SHA-256
TREATMENT = "treatment"  # framework and version, the column by which the rows of a group differ


@dataclass(frozen=True)
class Group:
    """One workload on one data set in one stage, with the treatments ("torch 2.13.0") in the plan's order."""

    workload: str
    dataset: str
    stage: str
    device: str
    settings: str
    treatments: tuple[str, ...]

    @property
    def key(self) -> dict[str, str]:
        return {name: getattr(self, name) for name in GROUP}

    @property
    def work(self) -> Work:
        """As that of its treatments."""
        return self.workload, self.dataset, self.stage, self.device, self.settings

    @property
    def facts(self) -> dict[str, str]:
        """What may set it apart from others of its workload and stage, each as it is told."""
        settings = {name: in_words(name, value) for name, value in json.loads(self.settings).items()}
        return {"dataset": self.dataset, "device": self.device, **settings}

    @property
    def title(self) -> str:
        parts = [self.workload, self.stage, self.dataset]
        parts += [self.device] if is_gpu(self.device) else []
        parts += [in_words(name, value) for name, value in json.loads(self.settings).items()]
        return " · ".join(parts)

    def select(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The rows of a frame with the GROUP columns that belong to this group."""
        from harness.analysis.plain_texts import (
            rows_with,  # pandas; whoever asks for names alone has no frame
        )

        return rows_with(frame, self.key)


def in_words(name: str, value: Any) -> str:
    """A setting as it is told."""
    return f"{name} {level(name, value)}"


def level(name: str, value: Any) -> Any:
    """Of a checksum its beginning, which tells files apart; the campaign's findings have all of it."""
    return (value[:SHOWN_DIGITS] or "random") if name == PRETRAINED and isinstance(value, str) else value


def name_of(treatment: Treatment) -> str:
    return f"{treatment.framework} {treatment.version}".strip()


def groups_of(campaign: Campaign) -> tuple[Group, ...]:
    """All groups of the plan, in its order, then those that only stored runs know; preparation runs make none."""
    ran = (run.record.planned for run in campaign.runs)
    stored = [planned.treatment for planned in ran if planned.purpose == Purpose.MEASURE]
    return grouped([*campaign.record.plan.treatments, *stored])


def grouped(treatments: Iterable[Treatment]) -> tuple[Group, ...]:
    """Treatments of the same work together, in the order of their first."""
    found: dict[Work, dict[str, None]] = {}
    for treatment in treatments:
        found.setdefault(treatment.work, {})[name_of(treatment)] = None
    return tuple(Group(*key, tuple(names)) for key, names in found.items())


def treatments_of(groups: Iterable[Group]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for group in groups for name in group.treatments))


def distinctions(groups: Iterable[Group], always: Collection[str] = ()) -> dict[Group, str]:
    """What sets each group apart from the others of its workload and stage, "cifar100, depth 50".

    `always`: facts that are told of all; without any, and where nothing differs, the words are empty.
    """
    alike: dict[tuple[str, str], list[Group]] = {}
    for group in groups:
        alike.setdefault((group.workload, group.stage), []).append(group)
    return {one: ", ".join(_apart(one, several, always)) for several in alike.values() for one in several}


def own_words(treatments: Iterable[Treatment]) -> Callable[[Treatment], str]:
    """Of each of these treatments, what sets its work apart from that of the others."""
    words = {tuple(one.key.values()): text for one, text in distinctions(grouped(treatments)).items()}
    return lambda treatment: words.get(treatment.work, "")


def _apart(group: Group, alike: Sequence[Group], always: Collection[str]) -> Iterator[str]:
    for name, words in group.facts.items():
        if name in always or any(one.facts.get(name) != words for one in alike):
            yield words
