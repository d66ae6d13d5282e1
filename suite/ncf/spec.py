"""Neural collaborative filtering, NeuMF on MovieLens: every number of the workload."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from suite import work
from suite.dropout import MOST_DROPPED, Site
from suite.ncf import negatives, ranking
from suite.neural import NeuralSpec, check_range, glorot_uniform
from suite.spec import Arrays, Profile, SettingError, Spread, Take, count
from suite.task import INFER, SAMPLE, Metric

INTERACTION = "interaction"  # a pair of user and item that is scored
TESTED = 100  # candidates of a user in the test: one positive and 99 negatives
SIZES = {  # users and items
    "ml-20m": (138_493, 26_744),
    "ml-1m": (6_040, 3_706),
    "ml-latest-small": (610, 9_724),
    "synthetic-movielens": (512, 256),
}
NEGATIVES_SEED = 20_170_403
MOST_ROWS = 1 << 31  # which devices number in 32 bits


@dataclass(frozen=True)
class Ncf(NeuralSpec):
    """NeuMF: what two towers make of a user and an item, beside each other, gives one score.

    `users` and `items` are tables of vectors, of which the first `factors` numbers are the factorisation's (GMF) and
    the others the perceptron's (MLP): u = (p, q) and v = (r, s) give

        score = (p * r, relu(... relu((q, s) @ W1 + b1) ...)) @ output + bias

    The loss is the logistic one, mean over the batch, of a rating as 1 and each of its negatives as 0. A sample of the
    training is one such pair, one of the test a user with 100 candidates.
    """

    name = "ncf"
    title = "NeuMF on film ratings"
    source = "He et al. 2017"
    datasets = tuple(SIZES)
    metrics = (Metric("hit_rate", "hit rate@10"), Metric("ndcg", "NDCG@10"))
    units = (SAMPLE, INTERACTION)
    profiles = {  # noqa: RUF012
        "quick": Profile(
            ("synthetic-movielens",),
            {
                "epochs": 5,
                "batch_size": 256,
                "factors": 16,
                "layers": "64-64-32-16",
                "predict_batch_size": 128,
                "infer_passes": 20,
            },
        ),
        # Where the study is silent, the defaults of the code that it ran: docs/workloads.md.
        "icse22": Profile(
            ("ml-20m",),
            {"dropout": 0.5},
            published={
                "dataset": "MovieLens 20M",
                "epochs": "1",
                "batch_size": "64",
                "negatives": "4, by its number of steps",
                "dropout": "one after each layer",
                "factors": "",
                "layers": "",
                "optimizer": "",
                "learning_rate": "",
                "predict_batch_size": "",
            },
        ),
    }
    quality_floor = {  # noqa: RUF012 - a ClassVar of the base
        "ml-20m": 0.4,
        "ml-1m": 0.4,
        "ml-latest-small": 0.5,
        "synthetic-movielens": 0.75,
    }
    # Where Adam has learnt two batches by heart the losses are next to nothing and rounding decides: from the 96th
    # epoch on those of sound implementations part by up to 0.36 of the first loss.
    tolerances = {  # noqa: RUF012
        (name, "own"): {"epoch_loss": 0.5, "small_loss": 1.0}
        for name in ("tensorflow", "keras", "keras-jax", "keras-torch", "jax")
    }
    # Tables of which most rows are met, and what only the study has.
    proof_settings = {"users": 64, "items": 256, "dropout": 0.5}  # noqa: RUF012

    beta1, beta2, epsilon = 0.25, 0.5, 1e-8

    optimizer: str = "adam"
    learning_rate: float = 0.0045
    epochs: int = 1
    batch_size: int = 64
    predict_batch_size: int = 128  # users, each with all its candidates
    infer_passes: int = 1
    factors: int = 64
    layers: str = "256-256-128-64"  # numbers between the perceptron's layers; the first are both vectors
    negatives: int = 4  # of each rating, others in each epoch
    dropout: float = 0.0  # after each layer of the perceptron
    users: int = SIZES["ml-20m"][0]  # of the tables; as many as the data set has
    items: int = SIZES["ml-20m"][1]

    @property
    def spread(self) -> Spread:  # type: ignore[override]
        """With dropout, which each framework draws by itself, losses part from the first step on."""
        return Spread(start=0.3 if self.dropout else 1e-3, tenfold_steps=24, losses=0.3, answers=1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not re.fullmatch(r"[1-9]\d*(-[1-9]\d*)+", self.layers) or self.widths[0] % 2:
            raise SettingError(
                f"{self.name}: layers must be numbers from 1 on with a - between, two at least and the first "
                f"an even one, not {self.layers!r}"
            )
        check_range(self, "dropout", at_least=0, below=MOST_DROPPED)

    def with_dataset(self, name: str) -> Self:
        users, items = SIZES.get(name, (self.users, self.items))
        return replace(super().with_dataset(name), users=users, items=items)

    def lasting(self, epochs: int, steps: int) -> Ncf:
        """With as many epochs' negatives."""
        return replace(self, epochs=epochs)

    def sites(self) -> Mapping[str, Site]:
        sizes = zip(self.hidden, self.widths[1:], strict=True)
        return {name: Site(self.dropout, (size,)) for name, size in sizes} if self.dropout else {}

    @property
    def widths(self) -> tuple[int, ...]:
        return tuple(map(int, self.layers.split("-")))

    @property
    def hidden(self) -> tuple[str, ...]:
        """The perceptron's layers, in order."""
        return tuple(f"hidden{number}" for number in range(1, len(self.widths)))

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        vector = self.factors + self.widths[0] // 2
        sizes = zip(self.hidden, self.widths[:-1], self.widths[1:], strict=True)
        kernels = {name: (size, next_size) for name, size, next_size in sizes}
        kernels["output"] = (self.factors + self.widths[-1], 1)
        layers = {f"{name}/kernel": kernel for name, kernel in kernels.items()}
        biases = {f"{name}/bias": kernel[1:] for name, kernel in kernels.items()}
        return {
            "users/embeddings": (self.users, vector),
            "items/embeddings": (self.items, vector),
            **layers,
            **biases,
        }

    def initial_weights(self, seed: int) -> Arrays:
        """As the benchmark's code: vectors normal within 0.01, Glorot-uniform kernels, biases 0, LeCun's output."""
        generator = np.random.default_rng(seed)
        return {name: _initial(generator, name, shape) for name, shape in self.shapes.items()}

    def layer_flops(self) -> Sequence[int]:
        """Of one pair; the vectors come first, whose gradients are needed."""
        return 0, *(work.product(shape) for name, shape in self.shapes.items() if name.endswith("kernel"))

    def sample_flops(self, stage: str) -> int:
        return sum(self.layer_flops()) * TESTED if stage == INFER else work.training(self.layer_flops())

    def inputs(self, raw: Arrays, dtype: str) -> Arrays:
        """int32 users [n] and candidates [n, ...], first the positive, then its negatives.

        Of a test they are the data's own; of a training drawn here, `negatives` of each epoch. The test's positives
        may be among these: whoever trains does not know them.
        """
        for name, size in (("user", self.users), ("item", self.items)):
            if raw[name].max() >= size:
                raise SettingError(f"{self.name}: {name}s must be more than {raw[name].max()}, not {size}")
        drawn = raw["negatives"] if "negatives" in raw else self._drawn(raw["user"], raw["item"])
        return {"user": raw["user"], "candidates": np.column_stack([raw["item"], drawn])}

    def of_both(self, train: Arrays, test: Arrays, dtype: str) -> tuple[Arrays, Arrays]:
        """The test's candidates in a seeded order: their places tell nothing of which is the positive."""
        taught, asked = super().of_both(train, test, dtype)
        shuffled = np.random.default_rng(NEGATIVES_SEED).permuted(asked["candidates"], axis=1)
        return taught, asked | {"candidates": shuffled}

    def steps_per_epoch(self, samples: int) -> int:
        return samples * (1 + self.negatives) // self.batch_size

    def order(self, data: Arrays, seed: int, epoch: int) -> np.ndarray:
        """Pairs [steps, batch], numbered row by row through the candidates: all positives, and an epoch's negatives."""
        samples, columns = count(data), self._columns(data)
        if samples * columns > MOST_ROWS:
            raise SettingError(
                f"{self.name}: {samples} ratings with {columns - 1} negatives each are too many"
            )
        rating, number = np.divmod(
            self.batch_order(samples * (1 + self.negatives), seed, epoch), 1 + self.negatives
        )
        later = ((epoch - 1) * self.negatives + number - 1) % (columns - 1)
        return rating * columns + np.where(number, 1 + later, 0)

    def taught(self, take: Take, data: Mapping[str, Any], rows: Any) -> dict[str, Any]:
        columns = data["candidates"].shape[1]
        rating, column = rows // columns, rows % columns
        of_rating = {name: take(array, rating) for name, array in data.items() if name != "candidates"}
        return {**of_rating, "item": take(data["candidates"], rating, column), "rated": column == 0}

    def evaluate(self, data: Arrays, outputs: Arrays) -> dict[str, float]:
        return ranking.judged(data["item"], outputs["ranked"])

    def counted(self, data: Arrays, rows: np.ndarray, outputs: Arrays | None = None) -> dict[str, int]:
        pairs = rows.size if outputs is None else outputs["scores"].size
        return {SAMPLE: rows.size, INTERACTION: pairs}

    def examples(self, count: int, seed: int) -> Arrays:
        """Ratings as a test has them, int32 users [count], items [count] and 99 negatives of each.

        A user likes every second item: what is unrated is of both kinds, so this is learnable but never learnt.
        """
        generator = np.random.default_rng(seed)
        user = generator.integers(0, self.users, count, np.int32)
        item = (2 * generator.integers(0, self.items // 2, count, np.int32) + user % 2).astype(np.int32)
        drawn = negatives.draw(generator, user, item, self.items, TESTED - 1)
        return {"user": user, "item": item, "negatives": drawn}

    def _drawn(self, user: np.ndarray, item: np.ndarray) -> np.ndarray:
        """int32 [n, epochs * negatives]. Raises: SettingError where a user has rated too many items for it."""
        generators = [np.random.default_rng([NEGATIVES_SEED, epoch]) for epoch in range(1, self.epochs + 1)]
        try:
            drawn = [negatives.draw(one, user, item, self.items, self.negatives) for one in generators]
        except ValueError as error:
            raise SettingError(f"{self.name}: {error}") from error
        return np.concatenate(drawn, axis=1)

    def _columns(self, data: Arrays) -> int:
        """Of the candidates, be the data as stored or as the model takes them."""
        if "candidates" in data:
            return data["candidates"].shape[1]
        return 1 + (data["negatives"].shape[1] if "negatives" in data else self.epochs * self.negatives)


def _initial(generator: np.random.Generator, name: str, shape: tuple[int, ...]) -> np.ndarray:
    if name.endswith("bias"):
        return np.zeros(shape)
    if name.endswith("embeddings"):
        return generator.normal(0.0, 0.01, shape)
    if name.startswith("output"):
        limit = np.sqrt(3.0 / shape[0])
        return generator.uniform(-limit, limit, shape)
    return glorot_uniform(generator, shape)


SPEC = Ncf()
