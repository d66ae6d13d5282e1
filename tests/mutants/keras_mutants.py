"""Faults in Keras' implementations, on its three backends."""

from __future__ import annotations

from tests.mutants.planted import Mutant

TRAINER, FEEDS, OPTIMIZERS = (
    "trainers/keras_trainer.py",
    "trainers/keras_feeds.py",
    "trainers/keras_optimizers.py",
)
FIT = "        if self._rates is None:\n            return self._fitted(data, order)\n"
TURNED = "self._fitted(data, order[::-1].copy())"
TOLD = "        return Epoch(done.losses, order)\n"
VELOCITY = (
    "            gradient = gradient + velocity * self.momentum\n"
    "            self.assign(velocity, gradient)\n"
)
OUTPUTS = "        outputs = [self._named(model.predict_on_batch(batch)) for batch in given]\n"


def _fewer(left: str) -> str:
    return f"self._fitted(data, order[: len(order) - {left}])\n"


def _mlp(
    name: str, old: str, new: str, file: str = TRAINER, framework: str = "keras", harmless: str = ""
) -> Mutant:
    return Mutant(f"{framework}-{name}", framework, "mnist_mlp", file, old, new, harmless)


TRANSFORMER_XL = [
    Mutant('keras-xl-memory-fades', "keras", "transformer_xl", 'transformer_xl/keras_impl.py', '            entered.append(seen[:, -self.spec.memory :])\n', '            entered.append(0.99 * seen[:, -self.spec.memory :])\n'),
    Mutant('keras-xl-words-unscaled', "keras", "transformer_xl", 'transformer_xl/keras_impl.py', 'return found * self.spec.width**0.5', 'return found'),
]  # fmt: skip

MUTANTS = [
    _mlp("fewer-steps-an-epoch", FIT, "        return " + _fewer("2")),
    _mlp("fewer-steps-told-as-all", FIT, "        done = " + _fewer("2") + TOLD),
    _mlp("fewer-steps-from-the-third-epoch-on-told-as-all", FIT, "        left = 2 if int(self._trained.optimizer.iterations) > 80 else 0\n        done = " + _fewer("left") + TOLD),
    _mlp("order-turned", FIT, f"        return {TURNED}\n"),
    _mlp("order-turned-and-told-straight", FIT, f"        done = {TURNED}\n" + TOLD, framework="keras-jax"),
    _mlp("a-generator-that-repeats", "            used.append(rows)\n            yield batch", "            used.append(rows)\n            first = batch if len(used) == 1 else first\n            yield first", FEEDS, "keras-torch"),
    _mlp("optimiser-anew-each-epoch", FIT, "        for one in self._trained.optimizer.variables[2:]:\n            one.assign(ops.zeros_like(one))\n" + FIT),
    _mlp("nesterov", VELOCITY, """            plain, gradient = gradient, gradient + velocity * self.momentum
            self.assign(velocity, gradient)
            gradient = plain + gradient * self.momentum
""", OPTIMIZERS, "keras-torch"),
    _mlp("first-pass-again", OUTPUTS, OUTPUTS + "        self.kept = getattr(self, \"kept\", None) or outputs\n        outputs = self.kept\n", framework="keras-jax"),
    _mlp("answers-of-sorted-rows", "        size = self.spec.predict_batch_size\n", "        size, rows = self.spec.predict_batch_size, np.sort(rows)\n"),
    _mlp("a-rest-that-is-tiled", OUTPUTS, OUTPUTS + "        outputs[-1] = {name: outputs[0][name][: len(one)] for name, one in outputs[-1].items()}\n", framework="keras-torch"),
    _mlp("probabilities-instead-of-logits", "from_logits=True", "from_logits=False"),
    _mlp("clipped", "spec.clip_norm or None", "1.0", framework="keras-jax"),
    Mutant("keras-adam-epsilon-of-keras", "keras", "emotion_rnn", OPTIMIZERS, "rate * corrected / (spread + self.epsilon)", "rate * corrected / (spread + 1e-3)"),
    Mutant("keras-resnet-biased-variance", "keras", "resnet", "trainers/keras_layers.py", "* values / (values - 1))", ")"),
    Mutant("keras-cifar-another-activation", "keras", "cifar10_cnn", "cifar10_cnn/keras_impl.py", '"hidden", "relu"', '"hidden", "gelu"'),
    Mutant("keras-ncf-no-relu-in-the-last-layer", "keras", "ncf", "ncf/keras_impl.py", 'dense(shapes, name, "relu")', 'dense(shapes, name, "relu" if name != spec.hidden[-1] else None)'),
    Mutant("keras-jax-ncf-ranked-from-below", "keras-jax", "ncf", "ncf/keras_impl.py", "ops.argsort(-scores, axis=1)", "ops.argsort(scores, axis=1)"),
    Mutant("keras-torch-ncf-labels-turned", "keras-torch", "ncf", "ncf/keras_impl.py", 'ops.where(batch["rated"], -scores, scores)', 'ops.where(batch["rated"], scores, -scores)'),
    Mutant("keras-malaria-no-padding", "keras", "malaria_cnn", "trainers/keras_layers.py", 'padding="same", activation', 'padding="valid", activation'),
    *TRANSFORMER_XL,
    Mutant("keras-ssd-normalised-over-the-batch", "keras", "ssd", "ssd/keras_impl.py", 'ops.maximum(parts["matched"], 1)', 'ops.maximum(ops.mean(parts["matched"]), 1)'),
    Mutant("keras-ssd-velocity-holds-the-rate", "keras", "ssd", OPTIMIZERS, VELOCITY + "        self.assign_sub(variable, rate * gradient)\n", """            gradient = rate * gradient + velocity * self.momentum
            self.assign(velocity, gradient)
        self.assign_sub(variable, gradient if self.momentum else rate * gradient)
"""),
    Mutant("keras-imagenet-padded-on-one-side", "keras", "resnet50_imagenet", "residual/keras_residual.py", "ZeroPadding2D(one.padding)", "ZeroPadding2D(((0, 2 * one.padding), (0, 2 * one.padding)))"),
    Mutant("keras-torch-imagenet-decay-of-normalisation", "keras-torch", "resnet50_imagenet", OPTIMIZERS, " and self._use_weight_decay(variable)", ""),
    Mutant("keras-imagenet-a-batch-later", "keras", "resnet50_imagenet", FEEDS, "lambda: self._batches, output", "lambda: iter([*self._batches][::-1]), output"),
    Mutant("keras-torch-gnmt-backwards-stays-backwards", "keras-torch", "gnmt", "gnmt/keras_impl.py", "ops.flip(self.lstms[\"encoder1_backward\"](x, mask=there), axis=1)", "self.lstms[\"encoder1_backward\"](x, mask=there)"),
    Mutant("keras-torch-gnmt-direction-not-normalised", "keras-torch", "gnmt", "gnmt/keras_impl.py", "(self.scale / ops.sqrt(ops.sum(ops.square(vector))))", "self.scale"),
]  # fmt: skip
