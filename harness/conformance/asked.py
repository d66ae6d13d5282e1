"""What is to be proven of a plan's treatments, and what of it a certificate does not cover yet; pure."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from harness import paths
from harness.conformance.tolerances import ANSWERS, EXACT, LONG, OWN
from harness.inventory import abilities, specs
from harness.inventory.abilities import TRAINING
from harness.records import Treatment
from suite.neural import DEFAULT_MODE, trains
from suite.task import TRAIN

# Settings that change how often inference is done, how, and with which weights: those are data, the same for all.
NOT_PROVEN = ("infer_passes", "mode", "pretrained")
HOW_LONG = ("batch_size", "epochs")  # settings on which a run's steps depend

Place = tuple[str, str, str]  # framework, version, device


@dataclass(frozen=True)
class Asked:
    """One kind of proof of one workload in one mode.

    With the plan's data set and settings (JSON): of kind own all that decide what is trained, of kind long those that
    decide how many steps a run takes, of kind exact none; of both those that make another network.
    """

    workload: str
    kind: str
    mode: str = DEFAULT_MODE
    dataset: str = ""
    settings: str = "{}"

    @property
    def in_default_mode(self) -> Asked:
        """In which the reference is recorded."""
        return replace(self, mode=DEFAULT_MODE)

    @property
    def request(self) -> dict[str, Any]:
        return {**vars(self), "settings": self.values}

    @property
    def values(self) -> dict[str, Any]:
        """Of the settings."""
        found: dict[str, Any] = json.loads(self.settings)
        return found

    @property
    def precision(self) -> str:
        return str(self.values.get("precision", "fp32"))


def place_of(treatment: Treatment) -> Place:
    return treatment.framework, treatment.version, treatment.device


def mode_of(treatment: Treatment) -> str:
    return str(treatment.settings.get("mode", DEFAULT_MODE))


def of(treatment: Treatment) -> tuple[Asked, ...]:
    """All kinds; of a framework whose training nobody can compare, its answers.

    Of a language model that answers by a file's weights, too: its training may be far too large for the machine, and is
    in nothing that is measured.
    """
    workload, mode, dataset = treatment.workload, mode_of(treatment), treatment.dataset
    settings, apart = treatment.settings, _proven_apart(treatment)
    proven = set(settings) - {*NOT_PROVEN, *getattr(specs.of_workload(workload), "not_proven", ())}
    if TRAINING not in abilities.of(treatment.framework).proves:
        return (Asked(workload, ANSWERS, mode, dataset, _only(settings, proven)),)
    exact = Asked(workload, EXACT, mode, settings=json.dumps(apart))
    if treatment.stage != TRAIN and _needs_no_training(treatment):
        return exact, Asked(workload, ANSWERS, mode, dataset, _only(settings, proven))
    return (
        exact,
        Asked(workload, LONG, mode, dataset, _only({**settings, **apart}, (*HOW_LONG, *apart))),
        Asked(workload, OWN, mode, dataset, _only(settings, proven)),
        *(
            Asked(workload, OWN, mode, dataset, _only({**settings, **smaller}, (*proven, *smaller)))
            for smaller in _proven_smaller(treatment)
        ),
    )


def _proven_smaller(treatment: Treatment) -> list[Mapping[str, Any]]:
    """The settings of a smaller network, on which all others are proven step by step: none where it needs none."""
    smaller = getattr(specs.of(treatment), "proven_smaller", {})
    return [smaller] if smaller else []


def _needs_no_training(treatment: Treatment) -> bool:
    """Whether drawn weights show all that a file's would: what normalises by statistics must have learnt them first."""
    spec = specs.of(treatment)
    return specs.begins_with_file(treatment) and spec is not None and all(map(trains, spec.shapes_of_weights))


def _proven_apart(treatment: Treatment) -> dict[str, Any]:
    """The settings that make it another network than others of its workload."""
    spec = specs.of(treatment)
    return {name: getattr(spec, name) for name in sorted(getattr(spec, "proven_apart", ()))}


def _only(settings: Mapping[str, Any], names: Iterable[str]) -> str:
    return json.dumps({name: settings[name] for name in sorted(names) if name in settings})


def compared(treatments: Iterable[Treatment]) -> list[Treatment]:
    """Those that are held against another's: modes of one framework are other code, its versions another library.

    What has one implementation in all is not: nobody else knows what it should compute.
    """
    several = list(treatments)
    found: dict[str, set[tuple[Place, str]]] = {}
    for one in several:
        found.setdefault(one.workload, set()).add((place_of(one), mode_of(one)))
    able = {name for name, places in found.items() if len(places) > 1 and provable(name)}
    return [one for one in several if one.workload in able]


def without_another(treatments: Iterable[Treatment]) -> dict[str, list[str]]:
    """Workload -> versions and modes that are compared though there is one implementation, which nobody can prove."""
    found: dict[str, set[str]] = {}
    for one in treatments:
        if not provable(one.workload):
            words = f"{one.framework} {one.version}"
            mode = mode_of(one)
            found.setdefault(one.workload, set()).add(
                words if mode == DEFAULT_MODE else f"{words} in mode {mode}"
            )
    return {workload: sorted(names) for workload, names in sorted(found.items()) if len(names) > 1}


def provable(workload: str) -> bool:
    """Whether there are two implementations to compare; frameworks of one source share theirs."""
    folder = next((one for one in paths.SUITE.iterdir() if one.name == workload), None)
    return folder is not None and sum(1 for _ in folder.glob("*_impl.py")) > 1


def all_of(treatments: Iterable[Treatment]) -> dict[Place, list[Asked]]:
    """By place, in the plan's order, each once."""
    found: dict[Place, dict[Asked, None]] = {}
    for treatment in compared(treatments):
        found.setdefault(place_of(treatment), {}).update(dict.fromkeys(of(treatment)))
    return {place: list(several) for place, several in found.items()}


def of_kinds(wanted: Mapping[Place, Iterable[Asked]], kinds: Container[str]) -> dict[Place, list[Asked]]:
    """What of it is of one of these kinds; no place that has none."""
    chosen = {place: [one for one in several if one.kind in kinds] for place, several in wanted.items()}
    return {place: several for place, several in chosen.items() if several}
