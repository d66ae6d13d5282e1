"""The CNN in PyTorch: eager, channels-last, data resident on the device."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from suite.mnist_cnn.spec import MnistCnn
from suite.spec import Arrays

Data = tuple[torch.Tensor, torch.Tensor]


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 64, 3, padding=1)
        self.conv2 = nn.Conv2d(64, 128, 5, padding=2)
        self.dense = nn.Linear(7 * 7 * 128, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Images [n, 1, 28, 28] -> logits [n, 10]."""
        x = functional.max_pool2d(functional.relu(self.conv1(x)), 2)
        x = functional.max_pool2d(functional.relu(self.conv2(x)), 2)
        return self.dense(x.permute(0, 2, 3, 1).flatten(1))  # a view, as channels-last lies in this order


class Impl:
    def __init__(self, spec: MnistCnn, weights: Arrays, dtype: str, device: str) -> None:
        self.spec, self.dtype, self.device = spec, getattr(torch, dtype), device
        self.net = Net().to(device, self.dtype, memory_format=torch.channels_last)
        self.net.load_state_dict({_torch_name(name): _to_torch(array) for name, array in weights.items()})
        self.optimizer = torch.optim.SGD(self.net.parameters(), spec.learning_rate, spec.momentum)

    def place(self, x: np.ndarray, y: np.ndarray) -> Data:
        images = torch.from_numpy(x).permute(0, 3, 1, 2)  # channels-last in memory, as it was
        labels = torch.from_numpy(y.astype(np.int64))
        return images.to(self.device, self.dtype), labels.to(self.device)

    def compile(self, data: Data, stage: str) -> None:
        """Nothing: eager mode is faster here than torch.compile (1 370 against 855 examples/s on 2 cores)."""

    def train(self, data: Data, order: np.ndarray) -> float:
        total = torch.zeros((), dtype=self.dtype, device=self.device)
        for batch in torch.from_numpy(order).to(self.device):
            total += self._step(*(part.index_select(0, batch) for part in data))
        return total.item() / len(order)

    @torch.inference_mode()
    def predict(self, data: Data) -> np.ndarray:
        batches = data[0].split(self.spec.predict_batch_size)
        return torch.cat([self.net(batch) for batch in batches]).cpu().numpy()

    def params(self) -> Arrays:
        return _canonical({name: value.detach() for name, value in self.net.named_parameters()})

    def step(self, x: np.ndarray, y: np.ndarray) -> float:
        return self._step(*self.place(x, y)).item()

    def grads(self, x: np.ndarray, y: np.ndarray) -> Arrays:
        images, labels = self.place(x, y)
        named = dict(self.net.named_parameters())
        values = torch.autograd.grad(functional.cross_entropy(self.net(images), labels), list(named.values()))
        return _canonical(dict(zip(named, values, strict=True)))

    def _step(self, images: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        self.optimizer.zero_grad()
        loss = functional.cross_entropy(self.net(images), labels)
        loss.backward()
        self.optimizer.step()
        return loss.detach()


def _torch_name(name: str) -> str:
    return name.replace("/kernel", ".weight").replace("/bias", ".bias")


def _to_torch(array: np.ndarray) -> torch.Tensor:
    """HWIO -> OIHW, [in, out] -> [out, in]; a bias stays."""
    axes = {4: (3, 2, 0, 1), 2: (1, 0), 1: (0,)}[array.ndim]
    return torch.from_numpy(array).permute(axes)


def _canonical(tensors: dict[str, torch.Tensor]) -> Arrays:
    names = (name.replace(".weight", "/kernel").replace(".", "/") for name in tensors)
    return dict(zip(names, map(_from_torch, tensors.values()), strict=True))


def _from_torch(tensor: torch.Tensor) -> np.ndarray:
    axes = {4: (2, 3, 1, 0), 2: (1, 0), 1: (0,)}[tensor.ndim]
    return tensor.permute(axes).cpu().numpy().copy()
