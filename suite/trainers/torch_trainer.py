"""Training and inference in PyTorch: data resident on the device, channels-last.

Modes: eager, and compile (torch.compile). Eager is the default: on 2 CPU cores it trains 1 370 examples/s of mnist_cnn
against 855.
"""

from __future__ import annotations

import shutil
import sysconfig
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial, reduce
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from suite.dropout import mask_of, seed_of
from suite.fingerprint import Epoch
from suite.neural import NeuralSpec
from suite.spec import Arrays, count
from suite.task import INFER, SCORES, TRAIN
from suite.trainers import ahead, chosen_mode, kind_of, made, torch_layers, torch_layout

Tensors = dict[str, torch.Tensor]
MODES = ("eager", "compile")


class Trainer(ABC):
    default_mode = "eager"

    def __init__(self, spec: NeuralSpec, weights: Arrays, dtype: str, device: str) -> None:
        self.spec, self.dtype, self.device = spec, getattr(torch, dtype), device
        self.mode = chosen_mode(spec, MODES, self.default_mode)
        self._narrow = getattr(torch, spec.narrow_dtype(dtype))
        _allow_tf32(spec.precision == "tf32")
        with torch_layers.undrawn():
            net = self.network()
        self.net = net.to(device, self.dtype, memory_format=torch.channels_last)
        torch_layout.load(self.net, weights)
        self._layouts = {one.torch_name: one for one in torch_layout.layouts(self.net)}
        self.optimizer = _optimizer(spec, self.net)
        self._called = self._compiled() if self.mode == "compile" else self.net
        self._steps, self._carried = 0, self._nothing(spec.batch_size)
        self._rates_of_dropout = {name: site.rate for name, site in spec.sites().items()}
        self._seed = seed_of(weights) if self._rates_of_dropout else None
        # On GPUs, and where it is compiled, its own is one with what comes before and after.
        by_hand = device == "cpu" and self.mode == "eager"
        self._dropout = torch_layers.dropout if by_hand else functional.dropout

    @abstractmethod
    def network(self) -> nn.Module:
        """The model; images come as [n, channels, height, width]."""

    @abstractmethod
    def apply(self, net: nn.Module, batch: Tensors, stage: str) -> Tensors:
        """Named outputs for a batch, in stage train what `loss` takes."""

    @abstractmethod
    def loss(self, outputs: Tensors, batch: Tensors) -> torch.Tensor:
        """Of a batch, a scalar."""

    def dropped(self, x: torch.Tensor, site: str, batch: Tensors) -> torch.Tensor:
        """In training without the share that the site leaves out (suite.dropout), if the spec has it."""
        if site not in self._rates_of_dropout:
            return x
        rate, mask = self._rates_of_dropout[site], batch.get(mask_of(site))
        if mask is not None:
            return x * mask / (1 - rate)
        return self._dropout(x, rate) if rate and self.net.training else x

    def place(self, data: Arrays) -> Any:
        return data if self.spec.premade else self._moved(data)

    def compile(self, data: Any, stage: str) -> None:
        """In mode compile, all shapes to come; else a GPU loads its kernels, and a CPU has nothing to prepare."""
        if self.mode != "compile" and not self._loads_kernels:
            return
        if stage != TRAIN:
            self.infer(data, np.arange(ahead(count(data), self.spec.predict_batch_size)), stage)
        else:
            self._compile_training(data)

    @property
    def _loads_kernels(self) -> bool:
        """At the first call: on an H100 a language model's first prompts took 1.09 s, the others 0.04."""
        return self.device != "cpu"

    def _compile_training(self, data: Any) -> None:
        """By a loss and its gradients; statistics of batches, which that changed, are as before."""
        kept = {name: one.clone() for name, one in self.net.state_dict().items()}
        self.net.train()
        samples = self.spec.batch_size // self.spec.micro_batches
        self._loss(self.taken(data, self._rows(np.arange(samples)))).backward()
        self.optimizer.zero_grad()
        self.net.load_state_dict(kept)
        self._carried = self._nothing(self.spec.batch_size)

    def train(self, data: Any, order: np.ndarray) -> Epoch:
        self.net.train()
        losses, used = [], []
        several = self._rows(order)
        for rows, batch in zip(several, self._made(data, several), strict=True):
            losses.append(self._step(batch))
            used.append(rows)
        return Epoch(torch.stack(losses).cpu().numpy(), torch.stack(used).cpu().numpy())

    @torch.inference_mode()
    def infer(self, data: Any, rows: np.ndarray, stage: str = INFER) -> Arrays:
        self.net.eval()
        batches = self._rows(rows).split(self.spec.predict_batch_size)
        carried, outputs = self._nothing(self.spec.predict_batch_size), []
        with self._rounding():
            for batch in self._made(data, batches):
                found, carried = self._applied(batch, stage, carried)
                outputs.append(found)
        return {name: torch.cat([one[name] for one in outputs]).cpu().numpy() for name in outputs[0]}

    def params(self) -> Arrays:
        tensors = self.net.state_dict()
        return {one.name: one.canonical(tensors[name]) for name, one in self._layouts.items()}

    def weight_shapes(self) -> dict[str, tuple[int, ...]]:
        tensors = self.net.state_dict()
        return {one.name: tuple(tensors[name].permute(one.axes).shape) for name, one in self._layouts.items()}

    def outputs(self, batch: Arrays) -> Arrays:
        return self.infer(self.place(batch), np.arange(count(batch)))

    def step(self, batch: Arrays) -> float:
        self.net.train()
        return self._step(self._seen(self._moved(batch))).item()

    def grads(self, batch: Arrays) -> Arrays:
        self.net.train()
        named = {name: value for name, value in self.net.named_parameters() if value.requires_grad}
        gradients = torch.autograd.grad(self._loss(self._seen(self._moved(batch))), list(named.values()))
        layouts = (self._layouts[name] for name in named)
        return {one.name: one.canonical(value) for one, value in zip(layouts, gradients, strict=True)}

    def _made(self, data: Any, several: Iterable[torch.Tensor]) -> Iterator[Tensors]:
        return made(partial(self.taken, data), several, self.spec.made_ahead)

    def taken(self, data: Any, rows: torch.Tensor) -> Tensors:
        """A batch as the network takes it."""
        if self.spec.premade:
            return self._seen(self._moved(self.spec.batch(data, rows.numpy()), ahead=True))
        if self.net.training:
            return self._seen(self.spec.taught(_take, data, rows))
        return self._seen(self.spec.tested(_take, data, rows))

    def _seen(self, batch: Tensors) -> Tensors:
        """Images [n, height, width, channels] as PyTorch takes them, channels-last in memory as they were."""
        pixels = {name: one.is_floating_point() or one.dtype == torch.uint8 for name, one in batch.items()}
        image = {name: one.ndim == 4 and pixels[name] for name, one in batch.items()}
        return {name: one.permute(0, 3, 1, 2) if image[name] else one for name, one in batch.items()}

    def _rows(self, rows: np.ndarray) -> torch.Tensor:
        """Where samples are gathered: the host makes batches ahead of a GPU, which it would wait for to learn them."""
        return torch.from_numpy(rows).to("cpu" if self.spec.premade else self.device)

    def _moved(self, data: Arrays, ahead: bool = False) -> Tensors:
        """To the device, `ahead` of what it computes; whole numbers, as those of tokens and classes, stay whole."""
        kinds = {"i": torch.int64, "u": torch.uint8, "f": self.dtype, "b": torch.bool}
        waiting = ahead and self.device != "cpu"

        def moved(one: np.ndarray) -> torch.Tensor:
            kind = kind_of(one)
            tensor = torch.from_numpy(one.astype(np.int64) if kind == "i" else one)
            tensor = tensor.pin_memory() if waiting else tensor
            return tensor.to(self.device, kinds[kind], non_blocking=waiting)

        return {name: moved(one) for name, one in data.items()}

    def _nothing(self, samples: int) -> Tensors:
        """What is carried over to the first batch."""
        kind = {"dtype": self.dtype, "device": self.device}
        return {name: torch.zeros(shape, **kind) for name, shape in self.spec.carried(samples).items()}

    def _step(self, batch: Tensors) -> torch.Tensor:
        self.optimizer.zero_grad()
        scale = self.spec.loss_scale
        loss = reduce(torch.add, [self._added(part, scale) for part in self._micro_batches(batch)])
        gradients = [one.grad for one in self.net.parameters() if one.grad is not None]
        if scale != 1.0:
            torch._foreach_div_(gradients, scale)
        if self.spec.clip_norm:
            _clip(gradients, self.spec.clip_norm)
        self._set_rate()
        self.optimizer.step()
        return loss

    def _micro_batches(self, batch: Tensors) -> list[Tensors]:
        if (parts := self.spec.micro_batches) == 1:
            return [batch]
        cut = {name: one.chunk(parts) for name, one in batch.items()}
        return [{name: several[number] for name, several in cut.items()} for number in range(parts)]

    def _added(self, part: Tensors, scale: float) -> torch.Tensor:
        """A part's share of the loss, whose gradients are added to those of the parts before it."""
        loss = self._loss(part)
        loss = loss / self.spec.micro_batches if self.spec.micro_batches > 1 else loss
        (loss * scale).backward() if scale != 1.0 else loss.backward()
        return loss.detach()

    def _set_rate(self) -> None:
        rates, self._steps = self.spec.rates(self._steps, 1), self._steps + 1
        if rates is not None:
            for group in self.optimizer.param_groups:
                group["lr"] = float(rates[0])

    def _loss(self, batch: Tensors) -> torch.Tensor:
        if self._seed is not None:  # of the device's generator, from which dropout draws
            torch.manual_seed(self._seed + self._steps)
        outputs, self._carried = self._applied(batch, TRAIN, self._carried)
        return self.loss(outputs, batch)

    def _applied(self, batch: Tensors, stage: str, carried: Tensors) -> tuple[Tensors, Tensors]:
        """Outputs in the precision of the weights, and what is carried over to the next batch."""
        with self._rounding():
            outputs = self.apply(self._called, {**batch, **carried}, stage)
        wide = {name: one.to(self.dtype) if one.is_floating_point() else one for name, one in outputs.items()}
        return wide, {name: wide.pop(name).detach() for name in carried}

    def _rounding(self) -> AbstractContextManager[object]:
        if self._narrow == self.dtype:
            return nullcontext()
        return torch.autocast(self.device, self._narrow)

    def _compiled(self) -> nn.Module:
        """Raises: RuntimeError where there is no compiler."""
        headers = Path(sysconfig.get_path("include"), "Python.h")
        if self.device == "cpu" and not (shutil.which("c++") and headers.is_file()):
            raise RuntimeError("mode compile needs c++ and Python.h, and this environment lacks one of them")
        return torch.compile(self.net)


class Classifier(Trainer):
    """A network from features to logits [n, classes]."""

    def apply(self, net: nn.Module, batch: Tensors, stage: str) -> Tensors:
        return {SCORES: net(batch["x"])}

    def loss(self, outputs: Tensors, batch: Tensors) -> torch.Tensor:
        """Softmax cross-entropy, mean over the batch."""
        return functional.cross_entropy(outputs[SCORES], batch["y"])


def _take(part: torch.Tensor, rows: torch.Tensor, *places: torch.Tensor) -> torch.Tensor:
    return part[rows, *places] if places else part.index_select(0, rows)


def _clip(gradients: list[torch.Tensor], most: float) -> None:
    """PyTorch's own adds 1e-6 to the norm."""
    norm = torch.stack([one.square().sum() for one in gradients]).sum().sqrt()
    torch._foreach_mul_(gradients, (most / norm).clamp(max=1.0))


def _optimizer(spec: NeuralSpec, net: nn.Module) -> torch.optim.Optimizer:
    canonical = {one.torch_name: one.name for one in torch_layout.layouts(net)}
    named = {name: one for name, one in net.named_parameters() if one.requires_grad}
    plain = [one for name, one in named.items() if not spec.decays(canonical[name])]
    trained: list[dict[str, Any]] = [
        {"params": [one for name, one in named.items() if spec.decays(canonical[name])]}
    ]
    trained += [{"params": plain, "weight_decay": 0.0}] if plain else []
    # Fused is one pass over each weight: emotion_rnn, with its large embedding, trains 1.15 times as fast as unfused.
    if spec.optimizer == "adam":
        kind = torch.optim.AdamW if spec.weight_decay else torch.optim.Adam
        rates = spec.learning_rate, (spec.beta1, spec.beta2), spec.epsilon
        return kind(trained, *rates, weight_decay=spec.weight_decay, fused=True)
    sgd = partial(torch.optim.SGD, fused=True)
    return sgd(trained, spec.learning_rate, spec.momentum, weight_decay=spec.weight_decay)


def _allow_tf32(allowed: bool) -> None:
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = allowed
