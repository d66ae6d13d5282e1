"""GNMT, which translates English into German: every number of the workload."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from suite import work
from suite.dropout import MOST_DROPPED, Site
from suite.gnmt.lengths import SENTENCES, lengths, longest
from suite.neural import NeuralSpec, check_range
from suite.spec import Arrays, Profile, SettingError, Spread, count
from suite.task import SAMPLE, TRAIN, Metric

PADDING, UNKNOWN, BEGIN, END = 0, 1, 2, 3  # of the prepared rows; other words follow
ROW = 50  # words of a training row, the end among them; longer ones are of the test alone
GATES = 4  # of an LSTM, in the order input, forget, candidate, output
INITIAL, OF_HIDDEN = 0.1, 1024  # all weights begin uniform within it, where a state is so many numbers
FIRST_RATE, HALVINGS = 0.01, 4  # share of the rate that warm-up begins with; how often it is halved
PENALTY_FROM = 5  # words, of the length penalty (Wu et al. 2016, equation 14)
LEAST_COVERAGE = 1e-6  # of a word, whose logarithm is taken
SHARE_WRONG = 0.25  # of the words of the proof's translations


@dataclass(frozen=True)
class Gnmt(NeuralSpec):
    """Encoder and decoder of LSTMs, with attention from the first layer of the decoder: GNMT v2 as NVIDIA publishes it.

    Encoder: the first layer reads both ways, backwards from each sentence's own end, and both halves go side by side
    into the second; from the third on a layer's input is added to its output. Decoder: the first layer's states ask
    (normalised Bahdanau attention), and what they are told goes beside the input into every other layer; from the third
    on the input without it is added to the output. One embedding for both languages. Dropout is on the input of
    every LSTM.

    One step of an LSTM: i, f, g, o = split(x @ kernel + h @ recurrent_kernel + bias, 4), with sigmoid, sigmoid, tanh,
    sigmoid; c = f * c + i * g; h = o * tanh(c); h and c begin as zeros.

    Attention of a query q to the encoder's outputs e_s: softmax over the words s of the sentence, not its padding, of
    scale * vector / |vector| . tanh(q @ query + e_s @ keys + bias); told is the sum of all e_s, so weighted.

    Loss: of a word w with smoothing t, -(1 - t) log p(w) - t mean(log p), mean over all words of the batch, the ends
    among them, and no padding.

    Beam search: of all continuations of `beam` sentences the `beam` with the largest sums of log p, until all have
    ended or `most_words` are written; of these the one with the largest sum / ((5 + words) / 6) ** length_penalty +
    coverage_penalty * sum over the source's words of log(min(1, attention that each was paid)).
    """

    name = "gnmt"
    title = "GNMT translates English into German"
    source = "Georgiou et al. 2022"
    datasets = ("wmt16-en-de", "synthetic-translation")
    metrics = (Metric("bleu", "BLEU"),)
    judged_on_host = ("bleu",)
    units = (SAMPLE, "token")
    targets = ("target",)
    premade = True
    epsilon = 1e-8
    profiles = {  # noqa: RUF012
        "quick": Profile(
            ("synthetic-translation",),
            {
                "epochs": 2, "batch_size": 32, "predict_batch_size": 128, "infer_passes": 4, "bucket": 13,
                "vocabulary": 40, "hidden": 64, "layers": 3, "most_words": 14, "beam": 2, "learning_rate": 0.015,
                "warmup_steps": 10, "remain_steps": 110, "decay_interval": 20, "dropout": 0.02,
            },
        ),
        "icse22": Profile(
            ("wmt16-en-de",),
            published={
                "dataset": "WMT16 English-German, newstest2014",
                "batch_size": "128",
                "epochs": "",
                "optimizer": "",
                "learning_rate": "",
            },
        ),
    }  # fmt: skip
    quality_floor = {"wmt16-en-de": 15.0, "synthetic-translation": 15.0}  # noqa: RUF012 - a ClassVar of the base
    # Each framework drops out other numbers: in profile quick, of four frameworks with one seed, the first losses
    # parted by at most 5e-3, the epochs' means by 2e-2 and 4e-2, the norms of answers by 0.6 (6 seeds).
    spread = Spread(start=3e-2, tenfold_steps=24, losses=0.25, answers=2.0)
    # So few words that untrained translations end, too; penalties that decide; a norm that is passed.
    proof_settings = {  # noqa: RUF012
        "vocabulary": 8, "hidden": 8, "layers": 3, "bucket": 5, "most_words": 8, "beam": 4, "length_penalty": 1.5,
        "coverage_penalty": 1.0,
        "clip_norm": 0.3, "warmup_steps": 2, "remain_steps": 30, "decay_interval": 10,
    }  # fmt: skip

    optimizer: str = "adam"
    learning_rate: float = 0.002
    clip_norm: float = 5.0
    epochs: int = 1
    batch_size: int = 128
    predict_batch_size: int = 128
    warmup_steps: int = 200
    remain_steps: int = 18_200  # two thirds of the study's epoch; then the rate is halved every
    decay_interval: int = 2_280  # steps
    vocabulary: int = 32_000
    hidden: int = 1024  # numbers of a word's vector and of every state
    layers: int = 4  # of the encoder, and of the decoder
    dropout: float = 0.2
    smoothing: float = 0.1
    bucket: int = 10  # words: sentences are padded to a multiple of so many
    beam: int = 5  # 1 is greedy
    most_words: int = 80  # of a translation, the end among them
    length_penalty: float = 0.6
    coverage_penalty: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.layers < 2:
            raise SettingError(f"{self.name}: layers must be at least 2, not {self.layers}")
        if self.vocabulary <= END + 1:
            raise SettingError(f"{self.name}: vocabulary must be above {END + 1}, not {self.vocabulary}")
        check_range(self, "dropout", at_least=0, below=MOST_DROPPED)
        check_range(self, "smoothing", at_least=0, below=1)

    @property
    def encoder(self) -> Sequence[str]:
        """The layers after the first."""
        return [f"encoder{number}" for number in range(2, self.layers + 1)]

    @property
    def decoder(self) -> Sequence[str]:
        return [f"decoder{number}" for number in range(1, self.layers + 1)]

    @property
    def lstms(self) -> dict[str, int]:
        """Name -> numbers of its input."""
        one, both = self.hidden, 2 * self.hidden
        return {
            "encoder1_forward": one,
            "encoder1_backward": one,
            **{name: one if number else both for number, name in enumerate(self.encoder)},
            **{name: both if number else one for number, name in enumerate(self.decoder)},
        }

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        hidden, gates = self.hidden, GATES * self.hidden
        lstms = {
            f"{name}/{word}": shape
            for name, width in self.lstms.items()
            for word, shape in (
                ("kernel", (width, gates)),
                ("recurrent_kernel", (hidden, gates)),
                ("bias", (gates,)),
            )
        }
        return {
            "embedding/embeddings": (self.vocabulary, hidden),
            **lstms,
            "attention_query/kernel": (hidden, hidden),
            "attention_keys/kernel": (hidden, hidden),
            "attention/vector": (hidden,),
            "attention/scale": (1,),
            "attention/bias": (hidden,),
            "dense/kernel": (hidden, self.vocabulary),
            "dense/bias": (self.vocabulary,),
        }

    def initial_weights(self, seed: int) -> Arrays:
        """All uniform, wider in smaller networks; but the scale is 1 / sqrt(hidden), and the attention's bias 0."""
        generator = np.random.default_rng(seed)
        limit = INITIAL * (OF_HIDDEN / self.hidden) ** 0.5
        weights = {name: generator.uniform(-limit, limit, shape) for name, shape in self.shapes.items()}
        weights["attention/scale"] = np.full(1, self.hidden**-0.5)
        weights["attention/bias"] = np.zeros(self.hidden)
        return weights

    def sites(self) -> Mapping[str, Site]:
        """The input of every layer; that of the first is dropped once for both directions."""
        others = {name: self.lstms[name] for name in (*self.encoder, *self.decoder)}
        layers = {"encoder1": self.hidden, **others}
        return {name: Site(self.dropout, (ROW, width)) for name, width in layers.items()}

    def inputs(self, raw: Arrays, dtype: str) -> Arrays:
        """As stored: batches are cut, and made of whole numbers."""
        return raw

    def rates(self, first: int, steps: int) -> np.ndarray:
        """Exponential warm-up; a constant rate; at last halved a few times."""
        step = np.arange(first, first + steps)
        warm = FIRST_RATE ** (np.maximum(self.warmup_steps - step, 0) / self.warmup_steps)
        halvings = np.clip((step - self.remain_steps) // self.decay_interval + 1, 0, HALVINGS)
        return self.learning_rate * warm * 0.5**halvings

    def padded(self, words: np.ndarray) -> np.ndarray:
        """To how many words each of such lengths is padded: multiples of `bucket`; beyond a training row, doubled."""
        multiples = -(-np.maximum(words, 1) // self.bucket) * self.bucket
        beyond = -(-ROW // self.bucket) * self.bucket
        doubled = beyond * 2 ** np.ceil(np.log2(np.maximum(multiples / beyond, 1))).astype(int)
        return np.where(multiples <= beyond, multiples, doubled)

    def order(self, data: Arrays, seed: int, epoch: int) -> np.ndarray:
        """In each batch sentences of about one length, in other company in each epoch; batches in any order."""
        rows = self.batch_order(count(data), seed, epoch)
        shapes = self.padded(longest(data))[rows.ravel()]
        alike = rows.ravel()[np.argsort(shapes, kind="stable")].reshape(rows.shape)
        return np.random.default_rng([seed, epoch]).permutation(alike)

    def batch(self, data: Arrays, rows: np.ndarray) -> Arrays:
        """Cut to the longest sentence's shape. A decoder is `given` the words before those that it shall write."""
        some = {name: array[rows] for name, array in data.items()}
        length = int(self.padded(longest(some)).max())
        some = {name: array[:, :length] for name, array in some.items()}
        some |= {name: self._known(some[name]) for name in SENTENCES if name in some}
        if "target" in some:
            begin = np.full((len(rows), 1), BEGIN, np.int32)
            some["given"] = np.concatenate([begin, some["target"][:, :-1]], axis=1)
        return some

    def _known(self, words: np.ndarray) -> np.ndarray:
        """In a smaller vocabulary rarer words are unknown."""
        return np.where(words < self.vocabulary, words, UNKNOWN).astype(np.int32)

    def counted(self, data: Arrays, rows: np.ndarray, outputs: Arrays | None = None) -> dict[str, int]:
        """Tokens: words of the sentences and of their translations, in stage infer those that were written."""
        asked = rows.ravel()
        written = data["target"][asked] if outputs is None else outputs["tokens"]
        tokens = lengths(data["source"][asked]).sum() + lengths(written).sum()
        return {SAMPLE: rows.size, "token": int(tokens)}

    @property
    def judged_below(self) -> int:
        return self.vocabulary

    def evaluate(self, data: Arrays, outputs: Arrays) -> dict[str, float]:
        """BLEU is the host's: here is no text."""
        return {}

    def sample_flops(self, stage: str) -> int | None:
        """Of a pair that fills two buckets. How many words a translation has, nobody knows before it is written."""
        return work.training(self.layer_flops()) if stage == TRAIN else None

    def layer_flops(self) -> Sequence[int]:
        """The products with the first states come first; the sums over attention's directions are no products."""
        words, shapes = 2 * self.bucket, self.shapes
        recurrent = [work.product(shapes[f"{name}/recurrent_kernel"]) for name in self.lstms]
        inputs = [work.product(shapes[f"{name}/kernel"], words) for name in self.lstms]
        attention = [work.product(shapes[f"attention_{name}/kernel"], words) for name in ("query", "keys")]
        told, last = work.product((self.hidden, words), words), work.product(shapes["dense/kernel"], words)
        return sum(recurrent), *inputs, (words - 1) * sum(recurrent), *attention, told, last

    def examples(self, count: int, seed: int) -> Arrays:
        """Sentences uint16 [count, 50] of up to two buckets, and their translations, for the proof of equal work.

        A word for each word, backwards; a quarter of them wrong: learnable but never learnt.
        """
        generator = np.random.default_rng(seed)
        places, most = np.arange(ROW), min(2 * self.bucket, ROW)
        length = generator.integers(1, most, (count, 1))
        source = generator.integers(END + 1, self.vocabulary, (count, ROW))
        meaning = END + 1 + generator.permutation(self.vocabulary - END - 1)
        backwards = np.take_along_axis(source, np.maximum(length - 1 - places, 0), axis=1)
        wrong = generator.random((count, ROW)) < SHARE_WRONG
        other = generator.integers(END + 1, self.vocabulary, (count, ROW))
        target = np.where(wrong, other, meaning[backwards - END - 1])
        both = {"source": source, "target": target}

        def row(words: np.ndarray) -> np.ndarray:
            ended = np.where(places == length, END, words)
            return np.where(places <= length, ended, PADDING).astype(np.uint16)

        return {name: row(words) for name, words in both.items()}


SPEC = Gnmt()
