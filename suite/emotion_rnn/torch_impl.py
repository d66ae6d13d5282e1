"""The LSTM in PyTorch."""

from __future__ import annotations

import torch
from torch import nn

from suite.emotion_rnn.spec import CLASSES, EmotionRnn
from suite.trainers.torch_trainer import Classifier


class Net(nn.Module):
    def __init__(self, spec: EmotionRnn) -> None:
        super().__init__()
        self.embedding = nn.Embedding(spec.vocabulary, spec.embedding)
        self.lstm = nn.LSTM(spec.embedding, spec.hidden, batch_first=True)
        self.lstm.bias_hh_l0.requires_grad_(False).zero_()  # a second bias would learn twice as fast
        self.dense = nn.Linear(spec.hidden, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        _, (last, _) = self.lstm(self.embedding(x))
        return self.dense(last[0])


class Impl(Classifier):
    spec: EmotionRnn

    def network(self) -> nn.Module:
        return Net(self.spec)
