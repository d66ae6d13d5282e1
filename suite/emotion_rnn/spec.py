"""A recurrent network that reads a sentence and names its emotion: every number of the workload."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from suite import work
from suite.classifier import ClassifierSpec
from suite.neural import NeuralSpec, glorot_uniform
from suite.spec import Arrays, Profile, Spread

UNKNOWN = 1  # the number of any word that has none; 0 is padding
LENGTH = 66  # numbers of a sentence, padded in front
CLASSES = 6
GATES = 4  # of an LSTM, in the order input, forget, candidate, output


@dataclass(frozen=True)
class EmotionRnn(ClassifierSpec, NeuralSpec):
    """Embedding, one LSTM, and a dense layer on the state after the last word.

    The source prints no architecture; ours is the plain one of its kind. Padding is a word like any other, with a
    vector of its own that is trained: all frameworks then take 66 steps a sentence, without a mask. As it stands in
    front, the last state is that after a word. The LSTM has one bias, as Keras' has; PyTorch's second stays 0.

    One step: i, f, g, o = split(x @ kernel + h @ recurrent_kernel + bias, 4), with sigmoid, sigmoid, tanh, sigmoid;
    c = f * c + i * g; h = o * tanh(c); h and c begin as zeros.
    """

    name = "emotion_rnn"
    title = "LSTM on sentences of six emotions"
    source = "Ajel et al. 2023"
    datasets = ("emotion", "synthetic-emotion")
    profiles = {  # noqa: RUF012
        "quick": Profile(
            ("synthetic-emotion",),
            {"epochs": 6, "batch_size": 32, "predict_batch_size": 128, "infer_passes": 80},
        )
    }
    quality_floor = {"emotion": 0.90, "synthetic-emotion": 0.93}  # noqa: RUF012 - a ClassVar of the base
    # Where Adam has learnt a few samples by heart, gates saturate and rounding decides: from the 15th epoch of 2 steps
    # on the mean losses of sound implementations part by 0.12, of the first loss 0.07.
    tolerances = {  # noqa: RUF012
        (name, "own"): {"epoch_loss": 0.5, "small_loss": 1.0}
        for name in ("tensorflow", "keras", "keras-jax", "keras-torch", "jax")
    }
    spread = Spread(start=1e-3, tenfold_steps=24, losses=0.4, answers=2.0)
    # Few enough words that the gradients of most are compared.
    proof_settings = {"vocabulary": 500}  # noqa: RUF012

    optimizer: str = "adam"
    learning_rate: float = 0.004
    epochs: int = 4
    batch_size: int = 64
    predict_batch_size: int = 100  # divides both splits: no smaller batch to compile
    infer_passes: int = 20
    vocabulary: int = 10_000  # numbers of words, padding among them, the frequent words first
    embedding: int = 64  # numbers of a word's vector
    hidden: int = 64  # numbers of the state of the LSTM

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        return {
            "embedding/embeddings": (self.vocabulary, self.embedding),
            "lstm/kernel": (self.embedding, GATES * self.hidden),
            "lstm/recurrent_kernel": (self.hidden, GATES * self.hidden),
            "lstm/bias": (GATES * self.hidden,),
            "dense/kernel": (self.hidden, CLASSES),
            "dense/bias": (CLASSES,),
        }

    def initial_weights(self, seed: int) -> Arrays:
        """Glorot-uniform kernels; words uniform within 0.05; biases 0, but 1 for the forget gate."""
        generator = np.random.default_rng(seed)
        weights = {name: _initial(generator, name, shape) for name, shape in self.shapes.items()}
        weights["lstm/bias"][self.hidden : 2 * self.hidden] = 1.0  # Jozefowicz et al. 2015
        return weights

    def layer_flops(self) -> Sequence[int]:
        """The product with the first state comes first: nobody needs the gradient of the zeros that it takes."""
        shapes = self.shapes
        of_word, of_state = (work.product(shapes[f"lstm/{name}kernel"]) for name in ("", "recurrent_"))
        last = work.product(shapes["dense/kernel"])
        return of_state, LENGTH * of_word + (LENGTH - 1) * of_state, last

    def features(self, x: np.ndarray) -> np.ndarray:
        """int32 [n, 66] of the data's own vocabulary, whose rarer words become unknown in a smaller one."""
        return np.where(x < self.vocabulary, x, UNKNOWN)

    def examples(self, count: int, seed: int) -> Arrays:
        """Synthetic sentences int32 [count, 66] and labels [count] for the proof of equal work.

        Every second word is one of 40 that its class prefers; a quarter of the labels are wrong: learnable but never
        learnt, so that the compared gradients and losses stay away from zero.
        """
        generator = np.random.default_rng(seed)
        classes, others = generator.integers(0, CLASSES, (2, count))
        shape = (count, LENGTH)
        own = 2 + 40 * classes[:, np.newaxis] + generator.integers(0, 40, shape)
        words = np.where(
            generator.random(shape) < 0.5, own, generator.integers(UNKNOWN, self.vocabulary, shape)
        )
        starts = generator.integers(0, LENGTH - 2, (count, 1))
        words = np.where(np.arange(LENGTH) < starts, 0, words)
        labels = np.where(generator.random(count) < 0.25, others, classes)
        return {"x": words.astype(np.int32), "y": labels}


def _initial(generator: np.random.Generator, name: str, shape: tuple[int, ...]) -> np.ndarray:
    if name.endswith("bias"):
        return np.zeros(shape)
    if name.endswith("embeddings"):
        return generator.uniform(-0.05, 0.05, shape)
    return glorot_uniform(generator, shape)


SPEC = EmotionRnn()
