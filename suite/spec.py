"""What a workload's `spec.py` exports as SPEC: every number of the workload, and nothing of a framework."""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from suite.task import INFER, SAMPLE, TRAIN, Metric

Arrays = dict[str, np.ndarray]
Take = Callable[..., Any]


class SettingError(ValueError):
    """A setting that the workload does not have, or a value of the wrong type or range."""


def count(arrays: Mapping[str, Any]) -> int:
    """How many samples named arrays [n, ...] hold."""
    return len(next(iter(arrays.values())))


@dataclass(frozen=True)
class Profile:
    """What a profile changes: the data sets, the preferred one first, and settings that differ.

    `published`: of a study's profile, what the study prints of "dataset" and of each setting; "" where it is silent.
    """

    datasets: tuple[str, ...]
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    published: Mapping[str, str] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True)
class Spread:
    """How far sound runs of one seed may part by rounding, relative to the first epoch's loss: docs/equal-work.md.

    After some steps of training the losses by start * 10 ** (steps / tenfold_steps), and never by more than `losses`;
    the answers then by ten times as much, and never by more than `answers`. The answers of one trained state by
    `infer`, relative to their own cross-entropy and norm. Answers in whole numbers, as words that were chosen, are the
    same or not: of one trained state in all rows but the share `items`, after training but `trained_items`.
    """

    start: float = 3e-4
    tenfold_steps: float = 30.0
    losses: float = 0.4
    answers: float = 1.0
    infer: float = 1e-4
    items: float = 0.02
    trained_items: float = 1.0

    def of_losses(self, steps: int) -> float:
        return min(self.losses, self._grown(steps))

    def of_answers(self, steps: int) -> float:
        return min(self.answers, 10 * self._grown(steps))

    def _grown(self, steps: int) -> float:
        return self.start * 10.0 ** min(steps / self.tenfold_steps, 300.0)


@dataclass(frozen=True)
class Taken:
    """Of the tensors of a checkpoint, `weights` by canonical name; and of the others, name -> why they are left."""

    weights: Arrays
    left: Mapping[str, str]


@dataclass(frozen=True)
class Spec(ABC):
    """Base of every workload's spec. The dataclass fields are its settings: a plan may vary any of them."""

    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[str]  # the publication it comes from
    datasets: ClassVar[tuple[str, ...]]  # first the preferred one
    stages: ClassVar[tuple[str, ...]] = (TRAIN, INFER)
    evaluated_by: ClassVar[str] = INFER  # the stage whose outputs are judged after each epoch of training
    metrics: ClassVar[
        tuple[Metric, ...]
    ]  # what `evaluate` tells, of whatever stage; the first is the run's quality
    # Of a stage that has them, its parts in order: in a measured run each is a phase of its own, batch by batch.
    parts: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    # Settings of which no trained weight depends: answers with several of their values begin with one training.
    only_of_answers: ClassVar[tuple[str, ...]] = ()
    # Stages whose samples are requests that arrive while others are answered; the one part of each is a whole pass.
    arriving: ClassVar[tuple[str, ...]] = ()
    # Of the metrics, what `evaluate` leaves to the host: a judge in harness.judges bears the metric's name.
    judged_on_host: ClassVar[tuple[str, ...]] = ()
    targets: ClassVar[tuple[str, ...]] = ()  # arrays that outputs are judged by: who infers is not given them
    # Batches are made here, by `batch`, of data that stay where they are: memory-mapped, whatever their size.
    premade: ClassVar[bool] = False
    of_one_shape: ClassVar[bool] = False  # premade ones; else their lengths vary
    made_ahead: ClassVar[int] = 0  # premade ones, by a thread of its own, while a step computes
    units: ClassVar[tuple[str, ...]] = (SAMPLE,)  # of work, the first the one that costs are told per
    profiles: ClassVar[Mapping[str, Profile]] = {}  # where a profile differs from the defaults
    quality_floor: ClassVar[Mapping[str, float]] = {}  # data set -> the least quality of a sound run
    # (framework, kind) -> tolerances of the proof that are wider than harness.conformance.tolerances, with the reason.
    tolerances: ClassVar[Mapping[tuple[str, str], Mapping[str, float]]] = {}

    spread: ClassVar[Spread] = Spread()

    # The SHA-256 of the file whose weights a run begins with: a setting where there can be one (suite.pretrained).
    pretrained: ClassVar[str] = ""
    infers_pretrained: ClassVar[bool] = (
        False  # from such a file as it is, not from what a training made of it
    )

    dataset: str = ""  # by `with_dataset`: a factor of its own, not a setting; "" is the preferred one
    epochs: int = 1
    batch_size: int = 1
    infer_passes: int = 1  # how often stage infer goes over the test set

    @abstractmethod
    def initial_weights(self, seed: int) -> Mapping[str, np.ndarray]:
        """Canonical name -> float64 array in canonical layout (NHWC, HWIO, dense [in, out])."""

    @property
    def shapes_of_weights(self) -> dict[str, tuple[int, ...]]:
        """Of `initial_weights`; a spec of many overrides it, so that nobody draws them for it."""
        return {name: array.shape for name, array in self.initial_weights(0).items()}

    def proof_weights(self, seed: int) -> Mapping[str, np.ndarray]:
        """Of the proof of equal work: `initial_weights`, unless numbers of theirs hide what a file's would show."""
        return self.initial_weights(seed)

    def from_checkpoint(self, tensors: Arrays) -> Taken:
        """What a file of somebody's training holds of the weights, by their canonical names and in canonical layout.

        The rest begins as `initial_weights` says. Shapes and numbers are the host's to check (harness.inventory).
        Raises: SettingError for names of another network, or if what must be there is not.
        """
        raise SettingError(f"{self.name} takes no pretrained weights")

    @property
    def mapped(self) -> bool:
        """Whether the data as stored stay on disk, and are read where they are asked for."""
        return self.premade

    def metrics_of(self, stage: str) -> tuple[Metric, ...]:
        """Those of `metrics` that `evaluate` tells of a stage's outputs; the first is the quality of its runs."""
        return self.metrics

    def units_of(self, stage: str) -> tuple[str, ...]:
        """Those of `units` in which the work of a stage is told, `sample` first."""
        return self.units

    def floor_of(self, stage: str) -> Mapping[str, float]:
        """The `quality_floor` of a stage's runs, where they tell that quality; else none."""
        return self.quality_floor if self.metrics_of(stage)[0] == self.metrics[0] else {}

    def answered(self, samples: int, stage: str) -> int:
        """How many of the test set's samples each pass of a stage takes: all, the first so many, or some several times.

        Where it asks for more than there are, a pass goes over the set again.
        """
        return samples

    def too_large(self, samples: int) -> str:
        """Why a data set of so many samples to train on does not go with these settings; empty where it does."""
        return ""

    def too_small(self, tests: int) -> str:
        """Why a test set of so many samples, as they are stored, does not; empty where it does."""
        return ""

    def as_samples(self, stored: Arrays, split: str) -> Arrays:
        """Arrays [n, ...] of samples, where the arrays of a split ("train" or "test") are stored as something else."""
        return stored

    @abstractmethod
    def inputs(self, raw: Arrays, dtype: str) -> Arrays:
        """Arrays [n, ...] as stored -> as the model takes them, in the precision of a run."""

    def of_both(self, train: Arrays, test: Arrays, dtype: str) -> tuple[Arrays, Arrays]:
        """`inputs` of both splits of a data set, of which one may have to know the other."""
        return self.inputs(train, dtype), self.inputs(test, dtype)

    @abstractmethod
    def evaluate(self, data: Arrays, outputs: Arrays) -> dict[str, float]:
        """The value of each metric of a stage but the host's; `outputs` of all samples of `data`, which are as stored.

        What stage it was, the names of the outputs tell (`metrics_of`).
        """

    def for_judges(self, outputs: Arrays) -> Arrays:
        """What the host's judges are given of an evaluation: whole numbers [n, ...] from 0 to below `judged_below`."""
        return {name: array for name, array in outputs.items() if array.dtype.kind in "iu"}

    @property
    def judged_below(self) -> int:
        """The size of the vocabulary, where whole numbers are words."""
        return 1 << 31

    def steady(self, outputs: Arrays) -> Arrays:
        """Of outputs [n, ...], or instead, what rounding to 32 bits changes little: all that is then compared.

        Of things that are told in an order, or not at all, rounding chooses which.
        """
        return outputs

    def proven(self, outputs: Arrays) -> Arrays:
        """Of the outputs of a proof in 32 or 16 bits, or instead, what is compared."""
        return self.steady(outputs)

    def classes_of(self, data: Arrays) -> np.ndarray | None:
        """The right class [n] of each sample, against which fingerprints hold scores; None where there is none."""
        return None

    @property
    def pieces(self) -> int:
        """Of a training, with an evaluation after each: its epochs, unless it is counted in iterations."""
        return self.epochs

    def iterations_of(self, piece: int) -> int | None:
        """Taken by the end of a piece, where a training is counted in them."""
        return None

    def steps_per_epoch(self, samples: int) -> int:
        return samples // self.batch_size

    def batch_order(self, samples: int, seed: int, epoch: int) -> np.ndarray:
        """Indices [steps, batch_size] into the training set; a last, smaller batch is dropped."""
        shuffled = np.random.default_rng([seed, epoch]).permutation(samples)
        steps = samples // self.batch_size
        return shuffled[: steps * self.batch_size].reshape(steps, self.batch_size)

    def order(self, data: Arrays, seed: int, epoch: int) -> np.ndarray:
        """What the steps of an epoch take, [steps, batch]: by the number of samples, unless a spec looks at them."""
        return self.batch_order(count(data), seed, epoch)

    def batch(self, data: Arrays, rows: np.ndarray) -> Arrays:
        """What a step is given of `rows` [batch]: these samples; of a premade batch whatever the spec makes of them.

        What it draws besides, as negatives, is `default_rng(rows)`'s: another in each epoch.
        """
        return self.taught(lambda array, *places: array[places], data, rows)

    def taught(self, take: Take, data: Mapping[str, Any], rows: Any) -> dict[str, Any]:
        """A batch of training, wherever the arrays lie: `take(array, first, ...)` is its array[first, ...].

        `rows` is what `order` says, which need not be a row of the data, if the spec knows what to make of it.
        """
        return {name: take(array, rows) for name, array in data.items()}

    def tested(self, take: Take, data: Mapping[str, Any], rows: Any) -> dict[str, Any]:
        """As `taught`, a batch to be answered: samples by their rows."""
        return {name: take(array, rows) for name, array in data.items()}

    def without_targets(self, data: Arrays) -> Arrays:
        """What whoever infers is given."""
        return {name: array for name, array in data.items() if name not in self.targets}

    def carried(self, samples: int) -> Mapping[str, tuple[int, ...]]:
        """What a batch of so many samples hands on to the next, by name and shape; zeros before the first of all.

        An implementation is given it with the batch, and gives the next one's among its outputs. Where it begins
        anew within a training, a premade batch says so.
        """
        return {}

    def counted(self, data: Arrays, rows: np.ndarray, outputs: Arrays | None = None) -> dict[str, int]:
        """The work of these samples in each of `units`; `outputs` of them where there are any.

        Those that are not `units_of` the stage nobody tells, and they may be left out.
        """
        return {SAMPLE: rows.size}

    def told_besides(self, stage: str) -> dict[str, int]:
        """What a run's word of its work holds besides: of all passes `padding_tokens`, of a batch `cache_bytes`."""
        return {}

    def pass_order(self, samples: int, seed: int, number: int) -> np.ndarray:
        """All indices of the test set in the order of one pass of stage infer: no other pass has the same answers."""
        return np.random.default_rng([seed, number, samples]).permutation(samples)

    def sample_flops(self, stage: str) -> int | None:
        """Floating point operations that one sample takes in a stage (suite.work); None where no formula tells."""
        return None

    def with_dataset(self, name: str) -> Self:
        """A copy for one of `datasets`, on which shapes may depend; "" is the preferred one.

        Raises: SettingError for a data set that the workload does not have.
        """
        if name not in ("", *self.datasets):
            known = ", ".join(self.datasets)
            raise SettingError(f"{self.name} has no data set '{name}'; it has {known}")
        return dataclasses.replace(self, dataset=name)

    def with_settings(self, settings: Mapping[str, Any]) -> Self:
        """A copy with some settings replaced.

        Raises: SettingError for an unknown name, a type that is not the default's, or a count below 1.
        """
        known = {f.name: f.default for f in dataclasses.fields(self) if f.name != "dataset"}
        for name, value in settings.items():
            _check_setting(self.name, known, name, value)
        return dataclasses.replace(self, **settings)


def _check_setting(workload: str, known: Mapping[str, Any], name: str, value: Any) -> None:
    if name not in known:
        raise SettingError(f"{workload} has no setting '{name}'; it has {', '.join(known)}")
    wanted = type(known[name])
    if not isinstance(value, wanted) or isinstance(value, bool) is not (wanted is bool):
        raise SettingError(f"{workload}: {name} must be of type {wanted.__name__}, not {value!r}")
    if wanted is float and not math.isfinite(value):
        raise SettingError(f"{workload}: {name} must be a finite number, not {value}")
    if wanted is int and value < 1:
        raise SettingError(f"{workload}: {name} must be at least 1, not {value}")
