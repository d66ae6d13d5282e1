"""Faults in Keras' implementations, on its three backends."""

from __future__ import annotations

from tests.mutants.planted import Mutant

TRAINER, BACKENDS, OPTIMIZERS = (
    "trainers/keras_trainer.py",
    "keras_backends.py",
    "trainers/keras_optimizers.py",
)
FEED = "    batches, taken = feed(data, order)\n"
BEFORE = "    before = int(model.optimizer.iterations)\n"
SCORES = (
    "        scores = [self.net.predict_on_batch(ops.take(data[0], batch, axis=0)) for batch in batches]\n"
)


def _mlp(
    name: str, old: str, new: str, file: str = TRAINER, framework: str = "keras", harmless: str = ""
) -> Mutant:
    return Mutant(f"{framework}-{name}", framework, "mnist_mlp", file, old, new, harmless)


MUTANTS = [
    _mlp("fewer-steps-an-epoch", FEED, "    batches, taken = feed(data, order[:-2])\n", BACKENDS),
    _mlp("fewer-steps-told-as-all", FEED + BEFORE, "    batches, taken = feed(data, order[:-2])[0], order.copy\n" + BEFORE.replace("\n", " - 2\n"), BACKENDS),
    _mlp("fewer-steps-from-the-third-epoch-on-told-as-all", FEED + BEFORE, "    left = 2 if int(model.optimizer.iterations) > 80 else 0\n    batches, taken = feed(data, order[: len(order) - left])[0], order.copy\n" + BEFORE.replace("\n", " - left\n"), BACKENDS),
    _mlp("order-turned", "    batches, taken = feed(data, order)\n", "    batches, taken = feed(data, order[::-1].copy())\n", BACKENDS),
    _mlp("order-turned-and-told-straight", "    batches, taken = feed(data, order)\n", "    batches, _ = feed(data, order[::-1].copy())\n    taken = order.copy\n", BACKENDS, "keras-jax"),
    _mlp("a-generator-that-repeats", "            used.append(rows)\n            yield", "            used.append(rows)\n            rows = used[0]\n            yield", BACKENDS, "keras-torch"),
    _mlp("optimiser-anew-each-epoch", "        return keras_backends.fit(self.net, data, order)\n", "        for one in self.net.optimizer.variables[2:]:\n            one.assign(ops.zeros_like(one))\n        return keras_backends.fit(self.net, data, order)\n"),
    _mlp("nesterov", "Sgd(spec.learning_rate, spec.momentum)", "Sgd(spec.learning_rate, spec.momentum, nesterov=True)", framework="keras-torch"),
    _mlp("first-pass-again", SCORES, "        self.kept = getattr(self, \"kept\", None) or [self.net.predict_on_batch(ops.take(data[0], batch, axis=0)) for batch in batches]\n        scores = self.kept\n", framework="keras-jax"),
    _mlp("answers-of-sorted-rows", "        size = self.spec.predict_batch_size\n", "        size, rows = self.spec.predict_batch_size, np.sort(rows)\n"),
    _mlp("a-rest-that-is-tiled", SCORES, SCORES + "        scores[-1] = scores[0][: len(scores[-1])]\n", framework="keras-torch"),
    _mlp("probabilities-instead-of-logits", "from_logits=True", "from_logits=False"),
    _mlp("clipped", "Sgd(spec.learning_rate, spec.momentum)", "Sgd(spec.learning_rate, spec.momentum, clipnorm=1.0)", framework="keras-jax"),
    Mutant("keras-adam-epsilon-of-keras", "keras", "emotion_rnn", OPTIMIZERS, "rate * corrected / (spread + self.epsilon)", "rate * corrected / (spread + 1e-3)"),
    Mutant("keras-resnet-biased-variance", "keras", "resnet", "trainers/keras_layers.py", "* values / (values - 1))", ")"),
    Mutant("keras-cifar-another-activation", "keras", "cifar10_cnn", "cifar10_cnn/keras_impl.py", 'Dense(128, activation="relu"', 'Dense(128, activation="gelu"'),
    Mutant("keras-malaria-no-padding", "keras", "malaria_cnn", "malaria_cnn/keras_impl.py", 'Conv2D(16, 3, padding="same"', 'Conv2D(16, 3, padding="valid"'),
]  # fmt: skip
