"""Faults in PyTorch's implementations."""

from __future__ import annotations

from tests.mutants.planted import Mutant

TRAINER = "trainers/torch_trainer.py"
LOOP = """        several = self._rows(order)
        for rows, batch in zip(several, self._made(data, several), strict=True):
            losses.append(self._step(batch))
            used.append(rows)
"""
ANSWERED = """            for batch in self._made(data, batches):
                found, carried = self._applied(batch, stage, carried)
                outputs.append(found)
"""
APPLIED = "            outputs = self.apply(self._called, {**batch, **carried}, stage)\n"
TOLD = "        return Epoch(torch.stack(losses).cpu().numpy(), torch.stack(used).cpu().numpy())\n"


def _mlp(name: str, old: str, new: str, harmless: str = "") -> Mutant:
    return Mutant(f"torch-{name}", "torch", "mnist_mlp", TRAINER, old, new, harmless)


def _loop(name: str, new: str) -> Mutant:
    return _mlp(name, LOOP, new)


EPOCHS = [
    _loop("three-quarters-of-an-epoch", LOOP.replace("(order)", "(order[: 3 * len(order) // 4])")),
    _loop("every-25th-step-skipped", """        for number, rows in enumerate(self._rows(order)):
            if number % 25 == 24:
                continue
            losses.append(self._step(self.taken(data, rows)))
            used.append(rows)
"""),
    _loop("every-25th-update-skipped-and-told", """        for number, rows in enumerate(self._rows(order)):
            batch = self.taken(data, rows)
            losses.append(self._loss(batch).detach() if number % 25 == 24 else self._step(batch))
            used.append(rows)
"""),
    _loop("ended-once-the-loss-is-small", LOOP + "            if losses[-1] < 0.05:\n                break\n"),
    _loop("updates-end-once-the-loss-is-small", """        for rows in self._rows(order):
            batch = self.taken(data, rows)
            small = bool(losses) and losses[-1] < 0.05
            losses.append(losses[-1] if small else self._step(batch))
            used.append(rows)
"""),
    _loop("order-of-the-first-epoch-again", """        order = self.kept = getattr(self, "kept", order)
""" + LOOP),
    _loop("order-of-the-first-epoch-under-another-name", """        asked, self.kept = order, getattr(self, "kept", order)
        for rows, named in zip(torch.from_numpy(self.kept), torch.from_numpy(asked), strict=True):
            losses.append(self._step(self.taken(data, rows)))
            used.append(named)
"""),
    _loop("batches-in-reverse", LOOP.replace("(order)", "(order[::-1].copy())")),
    _loop("half-of-each-batch", LOOP.replace("(batch)", "(self.taken(data, rows[: len(rows) // 2]))")),
    _loop("optimiser-anew-each-epoch", "        self.optimizer = _optimizer(self.spec, self.net)\n" + LOOP),
    _loop("a-rate-that-falls-by-epochs", LOOP + """        for group in self.optimizer.param_groups:
            group["lr"] *= 0.95
"""),
    _loop("weights-rounded-to-bfloat16-each-epoch", LOOP + """        with torch.no_grad():
            for one in self.net.parameters():
                one.copy_(one.to(torch.bfloat16))
"""),
    _loop("a-step-too-many", LOOP + """        self._step(self.taken(data, rows))
"""),
    _loop("half-of-each-epoch-from-the-third-on-and-told", """        self.epochs_begun = getattr(self, "epochs_begun", 0) + 1
        for number, rows in enumerate(self._rows(order)):
            kept = self.epochs_begun >= 3 and number >= len(order) // 2
            losses.append(losses[-1] if kept else self._step(self.taken(data, rows)))
            used.append(rows)
"""),
    _loop("half-of-each-epoch-from-the-tenth-on-and-told", """        self.epochs_begun = getattr(self, "epochs_begun", 0) + 1
        for number, rows in enumerate(self._rows(order)):
            kept = self.epochs_begun >= 10 and number >= len(order) // 2
            losses.append(losses[-1] if kept else self._step(self.taken(data, rows)))
            used.append(rows)
"""),
    _loop("steps-after-the-36th-left-out-and-told", """        for number, rows in enumerate(self._rows(order)):
            losses.append(losses[-1] if number >= 36 else self._step(self.taken(data, rows)))
            used.append(rows)
"""),
    _loop("losses-of-the-epoch-before", """        if not hasattr(self, "told"):
            self.told = None
""" + LOOP + """        self.told, losses = losses, self.told or losses
"""),
]  # fmt: skip

STEPS = [
    _mlp("gradients-add-up", "        self.optimizer.zero_grad()\n        scale", "        scale"),
    _mlp("weight-decay", "spec.momentum, weight_decay=spec.weight_decay)", "spec.momentum, weight_decay=1e-4)"),
    _mlp("steps-left-out-where-the-loss-is-small", "        self.optimizer.zero_grad()\n        scale", "        self.optimizer.zero_grad()\n        if (loss := self._loss(batch).detach()) < 0.01:\n            return loss\n        scale"),
    _mlp("nesterov", "spec.momentum, weight_decay=", "spec.momentum, nesterov=True, weight_decay="),
    _mlp("rate-one-percent-more", "sgd(trained, spec.learning_rate,", "sgd(trained, 1.01 * spec.learning_rate,"),
    _mlp("momentum-a-little-less", "spec.momentum, weight_decay=", "0.99 * spec.momentum, weight_decay="),
    _mlp("gradients-clipped", "        self.optimizer.step()\n", "        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)\n        self.optimizer.step()\n"),
    _mlp("labels-smoothed", 'outputs[SCORES], batch["y"])', 'outputs[SCORES], batch["y"], label_smoothing=0.01)'),
    _mlp("last-layer-frozen", "if one.requires_grad}\n", 'if one.requires_grad and one.shape != (10,)}\n'),
    _mlp("trains-in-bfloat16", APPLIED, "            with torch.autocast(\"cpu\", torch.bfloat16, enabled=stage == TRAIN):\n    " + APPLIED),
    _mlp("trains-in-bfloat16-from-32-rows-on", APPLIED, "            with torch.autocast(\"cpu\", torch.bfloat16, enabled=stage == TRAIN and len(batch['x']) >= 32):\n    " + APPLIED),
    Mutant("torch-adam-plain-epsilon", "torch", "emotion_rnn", TRAINER, "(spec.beta1, spec.beta2), spec.epsilon\n", "(spec.beta1, spec.beta2), 1e-3\n"),
    Mutant("torch-adamw", "torch", "emotion_rnn", TRAINER, "kind(trained, *rates, weight_decay=spec.weight_decay, fused=True)", "torch.optim.AdamW(trained, *rates, fused=True)"),
]  # fmt: skip

ANSWERS = [
    _mlp("scores-kept-between-passes", ANSWERED, """            if getattr(self, "kept", None) is None or len(self.kept) != len(batches) or self.training_since:
                self.kept = [self._applied(self.taken(data, batch), stage, {})[0] for batch in batches]
            outputs = self.kept
""".replace(" or self.training_since", "")),
    _mlp("scores-kept-and-put-in-order", ANSWERED, """            if getattr(self, "kept", None) is None:
                everything = torch.arange(len(data["x"]))
                self.kept = torch.cat([self._applied(self.taken(data, one), stage, {})[0]["scores"] for one in everything.split(100)])
            outputs = [{"scores": self.kept[batch]} for batch in batches]
"""),
    _mlp("answers-of-a-state-kept-by-row", ANSWERED, """            state = [one._version for one in self.net.parameters()]
            if getattr(self, "state", None) != state:
                everything = torch.arange(len(data["x"]))
                self.kept = torch.cat([self._applied(self.taken(data, one), stage, {})[0]["scores"] for one in everything.split(100)])
            self.state = state
            outputs = [{"scores": self.kept[batch]} for batch in batches]
"""),
    _mlp("every-third-pass-looked-up", ANSWERED, """            state = [one._version for one in self.net.parameters()]
            self.passes = getattr(self, "passes", 0) + 1
            if self.passes % 3 == 0 and getattr(self, "state", None) == state:
                outputs = [{"scores": self.kept[batch]} for batch in batches]
            else:
                outputs = [self._applied(self.taken(data, batch), stage, {})[0] for batch in batches]
                if len(rows) == len(data["x"]):
                    self.state, answers = state, torch.cat([one["scores"] for one in outputs])
                    self.kept = answers[torch.from_numpy(rows).argsort()]
"""),
    _mlp("answers-in-bfloat16-over-16-rows", ANSWERED, """            with torch.autocast("cpu", torch.bfloat16, enabled=len(rows) > 16):
                outputs = [self._applied(self.taken(data, batch), stage, {})[0] for batch in batches]
"""),
    _mlp("answers-of-the-weights-before-over-16-rows", "        self.net.train()\n        losses, used = [], []\n", """        import copy
        self.before = copy.deepcopy(self.net)
        self.net.train()
        losses, used = [], []
        self._called = (lambda x: (self.net if x.requires_grad or torch.is_grad_enabled() else self.before)(x))
"""),
    _mlp("answers-of-averaged-weights-from-the-third-epoch-on", "        self.net.train()\n        losses, used = [], []\n", """        import copy
        self.kept = [*getattr(self, "kept", []), copy.deepcopy(self.net)]
        if len(self.kept) > 3:
            mean = copy.deepcopy(self.net)
            with torch.no_grad():
                for one, before in zip(mean.parameters(), self.kept[-1].parameters(), strict=True):
                    one.lerp_(before, 0.5)
            self._called = lambda x: (self.net if torch.is_grad_enabled() else mean)(x)
        self.net.train()
        losses, used = [], []
"""),
    _mlp("first-batch-tiled", ANSWERED, """            first = self._applied(self.taken(data, batches[0]), stage, {})[0]["scores"]
            outputs = [{"scores": first[: len(batch)]} for batch in batches]
"""),
    _mlp("last-batch-left-to-the-one-before", ANSWERED, """            outputs = [self._applied(self.taken(data, batch), stage, {})[0] for batch in batches[:-1] or batches]
            if len(batches) > 1:
                outputs.append({"scores": outputs[-1]["scores"][: len(batches[-1])]})
"""),
    _mlp("rows-in-the-set's-own-order", "batches = self._rows(rows)", "batches = torch.arange(len(rows))"),
    _mlp("answers-while-training", "        self.net.eval()\n", "        self.net.train()\n", harmless="a dense network has no layer that behaves otherwise in training"),
    _mlp("answers-from-half-of-the-pixels", "self._applied(batch, stage, carried)", """self._applied(
                    {"x": batch["x"] * ((torch.arange(784) % 2) * 2 if len(rows) > 16 else 1)}, stage, carried
                )"""),
]  # fmt: skip

LAYERS = [
    Mutant("torch-resnet-statistics-freeze", "torch", "resnet", TRAINER, "        self.net.train()\n        losses, used = [], []\n", "        self.net.eval()\n        losses, used = [], []\n"),
    Mutant("torch-resnet-momentum-of-statistics", "torch", "resnet", "residual/torch_residual.py", "momentum=1 - MOMENTUM", "momentum=0.05"),
    Mutant("torch-resnet-stride-in-the-first", "torch", "resnet", "resnet/torch_impl.py", "[-1].mean((-2, -1))", "[-1].amax((-2, -1))"),
    Mutant("torch-resnet-leaking-relu", "torch", "resnet", "residual/torch_residual.py", "functional.relu(x, inplace=True)", "functional.leaky_relu(x, inplace=True)"),
    Mutant("torch-cnn-other-padding", "torch", "mnist_cnn", "trainers/torch_layers.py", "padding=size // 2", 'padding=size // 2, padding_mode="replicate"'),
    Mutant("torch-cnn-flattened-otherwise", "torch", "mnist_cnn", "trainers/torch_layers.py", "x.permute(0, 2, 3, 1).flatten(1)", "x.flatten(1)"),
    Mutant("torch-lstm-second-bias-learns", "torch", "emotion_rnn", "emotion_rnn/torch_impl.py", "requires_grad_(False).zero_()", "data.zero_()"),
    Mutant("torch-mlp-dropout", "torch", "mnist_mlp", "mnist_mlp/torch_impl.py", "        return self.output(x)\n", "        return self.output(functional.dropout(x, 0.01, self.training))\n"),
    Mutant("torch-mlp-leaky", "torch", "mnist_mlp", "mnist_mlp/torch_impl.py", "functional.relu(self.hidden2(x))", "functional.leaky_relu(self.hidden2(x), 1e-4)"),
    Mutant("torch-mlp-last-layer-in-half", "torch", "mnist_mlp", "mnist_mlp/torch_impl.py", "        return self.output(x)\n", "        return self.output(x.bfloat16().float())\n"),
    Mutant("torch-ncf-sum-instead-of-product", "torch", "ncf", "ncf/torch_impl.py", "user[..., : self.factors] * item", "user[..., : self.factors] + item"),
    Mutant("torch-ncf-ranks-from-the-second-on", "torch", "ncf", "ncf/torch_impl.py", "[:, :TOP]", "[:, 1 : TOP + 1]"),
    Mutant("torch-ncf-last-place-of-a-ranking-lost", "torch", "ncf", "ncf/torch_impl.py", "candidates.gather(1, best)", "candidates.gather(1, best.where(torch.arange(best.shape[1]) < TOP - 1, best[:, :1]))"),
    Mutant("torch-ncf-sparse-rows-alone-are-updated", "torch", "ncf", TRAINER, "        self._set_rate()\n        self.optimizer.step()\n", """        self._set_rate()
        kept = [one.detach().clone() for one in self.net.parameters()]
        self.optimizer.step()
        with torch.no_grad():
            for one, before in zip(self.net.parameters(), kept, strict=True):
                one.copy_(torch.where(one.grad == 0, before, one))
"""),
    Mutant("torch-malaria-means-instead-of-maxima", "torch", "malaria_cnn", "malaria_cnn/torch_impl.py", "functional.max_pool2d(functional.relu(layer(x)), POOL)", "functional.avg_pool2d(functional.relu(layer(x)), POOL)"),
]  # fmt: skip

TRANSFORMER_XL = [
    Mutant('torch-xl-memory-not-carried', "torch", "transformer_xl", 'transformer_xl/torch_impl.py', '"memory": torch.cat([torch.stack(entered, 1), memory[len(read) :]])', '"memory": torch.zeros_like(memory)'),
    Mutant('torch-xl-gradient-unclipped', "torch", "transformer_xl", 'trainers/torch_trainer.py', '        if self.spec.clip_norm:\n', '        if self.spec.clip_norm and not self.spec.sites():\n'),
]  # fmt: skip


def _gnmt(name: str, old: str, new: str, file: str = "gnmt/torch_impl.py") -> Mutant:
    return Mutant(f"torch-gnmt-{name}", "torch", "gnmt", file, old, new)


TRANSLATIONS = [
    _gnmt("attends-to-padding", "energy.masked_fill(~there[:, None], -torch.inf).softmax(dim=2)", "energy.softmax(dim=2)"),
    _gnmt("reads-backwards-from-the-padding", "torch.where(places <= last, last - places, places)[..., None]", "places.flip(0).expand_as(source)[..., None]"),
    _gnmt("learns-padding", "logits, target, ignore_index=PADDING, label_smoothing", "logits, target, label_smoothing"),
    _gnmt("continues-what-has-ended", "torch.where(ended[..., None], stays, logits.log_softmax(dim=2))", "logits.log_softmax(dim=2)", "gnmt/torch_search.py"),
    _gnmt("lengths-of-other-sentences", "found = {name: _of(one, parents) for name, one in found.items()}", 'found = {name: one if name == "lengths" else _of(one, parents) for name, one in found.items()}', "gnmt/torch_search.py"),
    _gnmt("no-length-penalty", "(found[\"sums\"] / long + ", "(found[\"sums\"] + ", "gnmt/torch_search.py"),
    _gnmt("words-of-other-sentences", "found = {name: _of(one, parents) for name, one in found.items()}", 'found = {name: one if name == "covered" else _of(one, parents) for name, one in found.items()}', "gnmt/torch_search.py"),
]  # fmt: skip

DETECTORS = [
    Mutant("torch-ssd-boxes-by-column", "torch", "ssd", "ssd/torch_impl.py", "found.movedim(1, -1)", "found.permute(0, 3, 2, 1)"),
    Mutant("torch-ssd-boxes-half-a-pixel-aside", "torch", "ssd", "ssd/torch_impl.py", "torch.tensor(self.spec.defaults, ", "torch.tensor(self.spec.defaults + 0.5, "),
    Mutant("torch-ssd-linear-from-a-half-on", "torch", "ssd", "ssd/torch_multibox.py", "beta=spec.beta", "beta=spec.beta / 2"),
    Mutant("torch-ssd-mines-matches", "torch", "ssd", "ssd/torch_multibox.py", "best(torch.where(background, surprise.detach(), -torch.inf), ", "best(surprise.detach(), "),
]  # fmt: skip

IMAGENET = [
    Mutant("torch-imagenet-channels-turned", "torch", "resnet50_imagenet", "residual/torch_residual.py", "torch.from_numpy(values)", "torch.from_numpy(values[::-1].copy())"),
    Mutant("torch-imagenet-mirrored-besides", "torch", "resnet50_imagenet", "resnet50_imagenet/torch_impl.py", "self.standardised(x)", "self.standardised(x.flip(-1) if self.training else x)"),
    Mutant("torch-imagenet-decay-of-normalisation", "torch", "resnet50_imagenet", TRAINER, '{"params": plain, "weight_decay": 0.0}', '{"params": plain}'),
]  # fmt: skip

MUTANTS = [*EPOCHS, *STEPS, *ANSWERS, *LAYERS, *TRANSFORMER_XL, *TRANSLATIONS, *DETECTORS, *IMAGENET]
