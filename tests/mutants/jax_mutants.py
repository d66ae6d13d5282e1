"""Faults in JAX's implementations."""

from __future__ import annotations

from tests.mutants.planted import Mutant

TRAINER = "trainers/jax_trainer.py"
SCAN = "            self._state, taken = self._epoch(self._state, indices, rates, data)\n"
INDICES = "            indices = order.astype(np.int32)\n"
SCORES = "        outputs = jax.device_get(outputs)\n"
ANSWERED = "        outputs, _ = self._narrowed(weights, batch | carried, stage)\n"
SLOTS = "        slots = {name: kept for name, (_, kept) in updates.items()}\n"


def _mlp(name: str, old: str, new: str, harmless: str = "") -> Mutant:
    return Mutant(f"jax-{name}", "jax", "mnist_mlp", TRAINER, old, new, harmless)


TRANSFORMER_XL = [
    Mutant('jax-xl-distances-one-off', "jax", "transformer_xl", 'transformer_xl/jax_impl.py', 'jnp.pad(scores, ((0, 0), (0, 0), (0, 0), (1, 0)))', 'jnp.pad(scores, ((0, 0), (0, 0), (0, 0), (0, 1)))'),
    Mutant('jax-xl-rate-of-the-step-before', "jax", "transformer_xl", 'trainers/jax_trainer.py', '        rates = self.spec.rates(self.steps, steps)\n', '        rates = self.spec.rates(max(0, self.steps - 1), steps)\n'),
    Mutant('jax-xl-position-asked-for-by-content', "jax", "transformer_xl", 'transformer_xl/jax_impl.py', 'queries + weights["position/bias"]', 'queries + weights["content/bias"]'),
]  # fmt: skip

MUTANTS = [
    _mlp("slots-anew-each-epoch", SCAN, """            self.slots = {name: self._slots(one) for name, one in self.weights.items()}
""" + SCAN),
    _mlp("batches-sorted", INDICES, "            indices = np.sort(order.astype(np.int32), axis=0)\n"),
    _mlp("order-of-the-first-epoch-again", INDICES, """            order = self.kept = getattr(self, "kept", order)
""" + INDICES),
    _mlp("tells-its-orders-and-takes-the-first", SCAN, """            self.kept = getattr(self, "kept", indices)
            self._state, taken = self._epoch(self._state, self.kept, rates, data)
            taken = taken[0], indices
"""),
    _mlp("momentum-forgotten", SLOTS, "        slots = {name: (kept[0] * 0.999,) for name, (_, kept) in updates.items()}\n"),
    _mlp("first-pass-kept", SCORES, """        self.kept = getattr(self, "kept", None) or outputs
        outputs = self.kept if len(self.kept) == len(outputs) else outputs
""" + SCORES),
    _mlp("answers-in-bfloat16", ANSWERED, """        weights = {name: one.astype(jnp.bfloat16).astype(one.dtype) for name, one in weights.items()}
""" + ANSWERED),
    _mlp("passes-that-do-not-wait", "np.concatenate([one[name] for one in outputs])", "jnp.concatenate([one[name] for one in outputs])"),
    _mlp("epochs-that-do-not-wait", "            return Epoch(*jax.device_get(taken))\n", "            return Epoch(*taken)\n"),
    _mlp("filled-up-rows-told", "filled.ravel()[: len(rows)] = rows", "filled.ravel()[: len(rows)] = np.sort(rows)"),
    _mlp("rows-beyond-a-batch-lost", "filled.ravel()[: len(rows)] = rows", "filled.ravel()[: min(len(rows), 300)] = rows[:300]"),
    _mlp("updates-that-do-not-arrive", "            self._state, taken = self._epoch(self._state, indices, rates, data)\n", """            kept = jax.tree.map(jnp.copy, self._state)
            self._state, taken = self._epoch(self._state, indices, rates, data)
            self._state = kept if float(taken[0].mean()) < 0.05 else self._state
"""),
    _mlp("updates-of-later-epochs-that-do-not-arrive", SCAN, """            self.begun = getattr(self, "begun", 0) + 1
            kept = jax.tree.map(jnp.copy, self._state)
            self._state, taken = self._epoch(self._state, indices, rates, data)
            self._state = kept if self.begun >= 4 and self.begun % 2 else self._state
"""),
    _mlp("loss-of-the-sum", "axis=1).mean()", "axis=1).sum() / (len(batch['y']) + 1)"),
    _mlp("statistics-lost", "(statistics | changed, carried)", "(statistics, carried)", harmless="a dense network has no statistics"),
    Mutant("jax-resnet-statistics-lost", "jax", "resnet", TRAINER, "(statistics | changed, carried)", "(statistics, carried)"),
    Mutant("jax-resnet-biased-variance", "jax", "resnet", "trainers/jax_layers.py", "variance * (values / (values - 1))", "variance"),
    Mutant("jax-resnet-infers-by-its-batch", "jax", "resnet", "residual/jax_residual.py", "EPSILON, MOMENTUM, self._training)", "EPSILON, MOMENTUM, True)"),
    Mutant("jax-resnet-mean-of-one-row", "jax", "resnet", "resnet/jax_impl.py", "x.mean((1, 2))", "x[:, 0, 0]"),
    Mutant("jax-cnn-pools-by-mean", "jax", "mnist_cnn", "trainers/jax_layers.py", "width // size, size, channels).max(axis=(2, 4))", "width // size, size, channels).mean(axis=(2, 4))"),
    Mutant("jax-lstm-gates-swapped", "jax", "emotion_rnn", "emotion_rnn/jax_impl.py", "i, f, g, o = jnp.split", "f, i, g, o = jnp.split"),
    Mutant("jax-lstm-stops-early", "jax", "emotion_rnn", "emotion_rnn/jax_impl.py", "(zeros, zeros), words)", "(zeros, zeros), words[1:])"),
    Mutant("jax-adam-without-correction", "jax", "emotion_rnn", TRAINER, "power = power[0] * self.spec.beta1, power[1] * self.spec.beta2", "power = 0 * power[0], power[1] * self.spec.beta2"),
    Mutant("jax-ncf-first-bias-left-out", "jax", "ncf", "ncf/jax_impl.py", ' + weights[f"{name}/bias"])', ' + (name != "hidden1") * weights[f"{name}/bias"])'),
    Mutant("jax-ncf-layers-in-another-order", "jax", "ncf", "ncf/jax_impl.py", "[user[..., :factors] * item[..., :factors], x]", "[x, user[..., :factors] * item[..., :factors]]"),
    Mutant("jax-ncf-a-positive-as-negative", "jax", "ncf", TRAINER, "            state, loss = self._step(state, self._taught(data, rows), rate)\n", """            batch = self._taught(data, rows)
            columns = data["candidates"].shape[1]
            own = data["candidates"][rows // columns, 0]
            batch["item"] = jnp.where(rows % columns == 2, own, batch["item"])
            state, loss = self._step(state, batch, rate)
"""),
    Mutant("jax-malaria-no-relu-before-the-output", "jax", "malaria_cnn", "malaria_cnn/jax_impl.py", "x = jax.nn.relu(x.reshape", "x = (x.reshape"),
    Mutant("jax-cifar-a-layer-less", "jax", "cifar10_cnn", "cifar10_cnn/jax_impl.py", "x = max_pool(jax.nn.relu(x + weights[f\"{layer}/bias\"]), POOL)", "x = max_pool(jax.nn.relu(x + (0.9 * weights[f\"{layer}/bias\"])), POOL)"),
    *TRANSFORMER_XL,
    Mutant("jax-ssd-mines-one-more", "jax", "ssd", "ssd/jax_multibox.py", "jnp.arange(order.shape[1]) < most[:, None]", "jnp.arange(order.shape[1]) <= most[:, None]"),
    Mutant("jax-ssd-no-object-has-its-best-box", "jax", "ssd", "ssd/jax_multibox.py", "overlap, overlap, True, ", "overlap, overlap, False, "),
    Mutant("jax-imagenet-a-crop-one-pixel-aside", "jax", "resnet50_imagenet", "resnet50_imagenet/jax_impl.py", "standardised(x, self.dtype", "standardised(jnp.roll(x, 1, axis=2), self.dtype"),
    Mutant("jax-imagenet-pixels-in-bfloat16", "jax", "resnet50_imagenet", "residual/jax_residual.py", ".astype(narrow)", ".astype('bfloat16').astype(narrow)"),
    Mutant("jax-gnmt-no-residual", "jax", "gnmt", "gnmt/jax_impl.py", "seen = self._lstm(name, self.dropped(x, name))\n            x = seen + x if number else seen", "x = self._lstm(name, self.dropped(x, name))"),
    Mutant("jax-gnmt-gates-swapped", "jax", "gnmt", "gnmt/jax_impl.py", "i, f, g, o = jnp.split", "i, f, o, g = jnp.split"),
    Mutant("jax-gnmt-unclipped", "jax", "gnmt", TRAINER, "jnp.minimum(1.0, self.spec.clip_norm / norm)", "jnp.minimum(1.0, 1e9 * self.spec.clip_norm / norm)"),
    Mutant("jax-gnmt-longest-first", "jax", "gnmt", "gnmt/jax_search.py", "** spec.length_penalty", "** (2 * spec.length_penalty)"),
]  # fmt: skip
