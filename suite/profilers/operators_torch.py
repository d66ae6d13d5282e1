"""PyTorch's operators by torch.profiler: those that Python or autograd called, each with all that it called itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

from suite.profilers.nesting import Span
from suite.profilers.operators import FORWARD, GRADIENT, OPTIMISER, Call, RecordedWindow, table

BACKWARD = "autograd::engine::evaluate_function: "
UPDATE = re.compile(r"Optimizer\.\w+#(?P<name>\w+\.\w+)")
GRADIENTS = re.compile("[Bb]ackward")
COMPILED = "compiled by torch.compile"
# Of torch.compile: what stands around operators, beside kernels of its own, which have no names here.
AROUND = re.compile(
    r"Torch-Compiled Region|## Call CompiledFxGraph|CompiledFunction|AOTDispatcher|TorchDynamo|Pregraph"
)
S_PER_US, NS_PER_US = 1e-6, 1e3
MOST = 0.5  # of an operator's time


def recorder(device: str) -> TorchOperators:
    return TorchOperators(device)


class TorchOperators:
    EVERY = False

    def __init__(self, device: str) -> None:
        self._window = RecordedWindow()
        self._of_device = device != "cpu"
        activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if self._of_device else [])]
        self._profile = profile(activities=activities, with_flops=True, acc_events=False)

    @contextmanager
    def recording(self) -> Iterator[None]:
        with self._profile, self._window.open():
            yield

    def told(self) -> dict[str, Any]:
        """On a GPU seconds are those that it computed for the operator. It tells no bytes, and FLOPs of some."""
        events = self._profile.events() or []
        calls = (call for one in events if one.cpu_parent is None for call in self._calls(one))
        return table(f"torch.profiler {torch.__version__}", self._window, calls)

    def _calls(self, event: Any, around: str = FORWARD) -> Iterator[Call]:
        """`around`: the scope of what called it."""
        if event.device_type != torch.autograd.DeviceType.CPU:  # of a kernel, whose time is its caller's, too
            return
        name, scope = _named(event.name, around)
        us = self._us(event)
        if AROUND.search(name):
            for child in event.cpu_children:
                us -= self._us(child)
                yield from self._calls(child, scope)
            yield Call(COMPILED, scope, us * S_PER_US, _span(event))
        else:
            yield Call(name, scope, us * S_PER_US, _span(event), flops=self._flops(event))

    def _flops(self, event: Any) -> float | None:
        """None where it tells only those of a minor part, as of an LSTM those of the sum of its biases."""
        telling = list(_telling(event))
        most = sum(map(self._us, telling)) >= MOST * self._us(event)
        return sum(float(one.flops) for one in telling) if telling and most else None

    def _us(self, event: Any) -> float:
        return float(event.device_time_total if self._of_device else event.cpu_time_total)


def _named(name: str, around: str) -> tuple[str, str]:
    """Its name and its scope."""
    if match := UPDATE.fullmatch(name):
        return match["name"], OPTIMISER
    plain = name.removeprefix(BACKWARD)
    return plain, GRADIENT if plain != name or GRADIENTS.search(name) else around


def _span(event: Any) -> Span:
    """Of its call, also on a GPU, which computes it a little later."""
    return Span(event.time_range.start * NS_PER_US, event.time_range.end * NS_PER_US)


def _telling(event: Any) -> Iterator[Any]:
    """Itself, if it tells its FLOPs, or else what tells them of what it called."""
    if event.flops:
        yield event
    else:
        for child in event.cpu_children:
            yield from _telling(child)
