"""Faults in TensorFlow's implementations."""

from __future__ import annotations

from tests.mutants.planted import Mutant

TRAINER = "trainers/tensorflow_trainer.py"
EPOCH = "        losses, used = self._epoch(data, tf.constant(order), rates)\n"
STEP = """            rows = order[step]
            loss = self._step(self.spec.taught(_take, data, rows), None if rates is None else rates[step])
"""
SCORES = "        return {name: one[: len(rows)].numpy() for name, one in whole.items()}\n"
BEGUN = "        carried, outputs = self._nothing(size), []\n"


def _mlp(name: str, old: str, new: str, harmless: str = "") -> Mutant:
    return Mutant(f"tensorflow-{name}", "tensorflow", "mnist_mlp", TRAINER, old, new, harmless)


TRANSFORMER_XL = [
    Mutant('tensorflow-xl-mask-off-by-one', "tensorflow", "transformer_xl", 'transformer_xl/tensorflow_impl.py', 'tf.where(self.spec.hidden, never, scores)', 'tf.where(tf.roll(self.spec.hidden, 1, 1), never, scores)'),
    Mutant('tensorflow-xl-another-clusters-word-in-the-head', "tensorflow", "transformer_xl", 'transformer_xl/tensorflow_impl.py', 'shortlist + cluster - 1', 'shortlist + len(later) - cluster'),
    Mutant('tensorflow-xl-dropout-in-no-inner-layer', "tensorflow", "transformer_xl", 'transformer_xl/tensorflow_impl.py', 'inner = self.dropped(tf.nn.relu(inner), f"{layer}inner", batch)', 'inner = tf.nn.relu(inner)'),
]  # fmt: skip

MUTANTS = [
    _mlp("a-chunk-without-its-rest", "        steps = len(order)\n", "        steps = len(order) // 8 * 8\n"),
    _mlp("a-chunk-without-its-rest-told-as-whole", EPOCH, """        whole = len(order) // 8 * 8
        losses, _ = self._epoch(data, tf.constant(order[:whole]), rates)
        losses, used = tf.concat([losses, losses[: len(order) - whole]], axis=0), tf.constant(order)
"""),
    _mlp("every-25th-step-computed-without-update", STEP, """            rows = order[step]
            if step % 25 == 24:
                loss = self._loss_and_gradients(self.spec.taught(_take, data, rows), self.carried)[0]
            else:
                loss = self._step(self.spec.taught(_take, data, rows), None if rates is None else rates[step])
"""),
    _mlp("steps-after-the-40th-computed-without-update", STEP, """            rows = order[step]
            if step >= 40:
                loss = self._loss_and_gradients(self.spec.taught(_take, data, rows), self.carried)[0]
            else:
                loss = self._step(self.spec.taught(_take, data, rows), None if rates is None else rates[step])
"""),
    _mlp("slots-anew-each-epoch", EPOCH, """        for several in self.slots.values():
            for one in several:
                one.assign(tf.zeros_like(one))
""" + EPOCH),
    _mlp("labels-of-the-next-row", "self._step(self.spec.taught(_take, data, rows), None", "self._step({**self.spec.taught(_take, data, rows), 'y': tf.gather(data['y'], tf.roll(rows, 1, 0))}, None"),
    _mlp("first-pass-again", SCORES, """        if not hasattr(self, "kept"):
            self.kept = {name: one[: len(rows)].numpy() for name, one in whole.items()}
        return self.kept
"""),
    _mlp("answers-rounded", SCORES, SCORES.replace(".numpy()", ".numpy().astype(np.float16).astype(np.float32)")),
    _mlp("rows-sorted", BEGUN, "        rows = np.sort(rows)\n" + BEGUN),
    _mlp("half-of-the-answers-twice", SCORES, """        half = tf.concat([one["scores"] for one in outputs[: max(1, len(outputs) // 2)]], axis=0).numpy()
        return {"scores": np.resize(half, (len(rows), half.shape[1]))}
"""),
    _mlp("weight-of-the-loss", "return tf.reduce_mean(losses)", "return tf.reduce_mean(losses) * 0.999"),
    _mlp("a-layer-forgotten-by-the-optimiser", "        for name, gradient in gradients.items():\n", '        for name, gradient in gradients.items():\n            if name == "hidden2/bias":\n                continue\n'),
    _mlp("weights-decay", "            weight.assign_sub(less)\n", "            weight.assign_sub(less + 1e-6 * weight)\n"),
    Mutant("tensorflow-resnet-statistics-freeze", "tensorflow", "resnet", TRAINER, "            self.weights[name].assign(value)\n        for", "            pass\n        for"),
    Mutant("tensorflow-resnet-fused-keeps-otherwise", "tensorflow", "resnet", "trainers/tensorflow_layers.py", "exponential_avg_factor=1 - momentum if training else 1.0", "exponential_avg_factor=momentum if training else 1.0"),
    Mutant("tensorflow-resnet-fused-without-offset", "tensorflow", "resnet", "trainers/tensorflow_layers.py", "        offset=offset,\n", "        offset=tf.zeros_like(offset),\n"),
    Mutant("tensorflow-cnn-pools-without-overlap-of-edges", "tensorflow", "mnist_cnn", "mnist_cnn/tensorflow_impl.py", "tf.nn.relu(tf.nn.bias_add", "tf.nn.elu(tf.nn.bias_add"),
    Mutant("tensorflow-lstm-hard-sigmoid", "tensorflow", "emotion_rnn", "emotion_rnn/tensorflow_impl.py", "tf.sigmoid(o) * tf.tanh(c)", "tf.clip_by_value(0.25 * o + 0.5, 0.0, 1.0) * tf.tanh(c)"),
    Mutant("tensorflow-adam-second-moment-of-the-mean", "tensorflow", "emotion_rnn", TRAINER, "self.power[1].assign(self.power[1] * self.spec.beta2)", "self.power[1].assign(self.power[1] * self.spec.beta1)"),
    Mutant("tensorflow-ncf-item-before-user", "tensorflow", "ncf", "ncf/tensorflow_impl.py", "tf.concat([user[..., factors:], item[..., factors:]], axis=-1)", "tf.concat([item[..., factors:], user[..., factors:]], axis=-1)"),
    Mutant("tensorflow-ncf-a-negative-twice", "tensorflow", "ncf", TRAINER, "            rows = order[step]\n", """            rows = order[step]
            columns = data["candidates"].shape[1]
            rows -= tf.cast(rows % columns == 3, rows.dtype)
"""),
    Mutant("tensorflow-ncf-a-negative-twice-told-as-another", "tensorflow", "ncf", TRAINER, "self._step(self.spec.taught(_take, data, rows), None", "self._step(self.spec.taught(_take, data, rows - tf.cast(rows % data['candidates'].shape[1] == 3, rows.dtype)), None"),
    Mutant("tensorflow-cifar-biases-forgotten", "tensorflow", "cifar10_cnn", "cifar10_cnn/tensorflow_impl.py", "tf.nn.relu(tf.nn.bias_add(x, weights[f\"{layer}/bias\"]))", "tf.nn.relu(tf.nn.bias_add(x, tf.stop_gradient(weights[f\"{layer}/bias\"])))"),
    *TRANSFORMER_XL,
    Mutant("tensorflow-imagenet-smoothing-mass-added", "tensorflow", "resnet50_imagenet", "resnet50_imagenet/tensorflow_impl.py", "(1 - share) * right", "right"),
    Mutant("tensorflow-imagenet-stride-in-the-first", "tensorflow", "resnet50_imagenet", "residual/tensorflow_residual.py", "one.stride, one.padding)", "2 if one.name == 'stage2_block1_conv1' else 1 if one.name == 'stage2_block1_conv2' else one.stride, one.padding)"),
    Mutant("tensorflow-imagenet-statistics-forgotten", "tensorflow", "resnet50_imagenet", "resnet50_imagenet/tensorflow_impl.py", ", net.statistics", ", {}"),
    Mutant("tensorflow-ssd-a-crowd-is-an-object", "tensorflow", "ssd", "ssd/tensorflow_multibox.py", "valid = (classes > 0) & ~crowd", "valid = classes > 0"),
    Mutant("tensorflow-ssd-background-in-a-crowd", "tensorflow", "ssd", "ssd/tensorflow_multibox.py", ", ignored=in_crowd", ""),
    Mutant("tensorflow-ssd-suppresses-nothing", "tensorflow", "ssd", "detection/tensorflow_boxes.py", "tf.while_loop(changed, lambda _, kept: (kept, step(kept)), (there, step(there)))[1]", "there"),
    Mutant("tensorflow-gnmt-smoothing-mass-on-padding", "tensorflow", "gnmt", "gnmt/tensorflow_impl.py", "words = tf.cast(target != PADDING, logits.dtype)", "words = tf.ones_like(right)"),
    Mutant("tensorflow-gnmt-ends-are-words", "tensorflow", "gnmt", "gnmt/tensorflow_search.py", '"ended": kept["ended"] | (words == END)', '"ended": kept["ended"] | (words == BEGIN)'),
]  # fmt: skip
