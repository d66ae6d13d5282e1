"""One `<framework>_trainer.py` per framework: how it trains, predicts, executes (modes) and rounds (precision).

An implementation, `suite/<workload>/<framework>_impl.py`, is a Trainer with a model. So the loop that is measured is
written once per framework, and a workload's file holds its layers alone.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from suite.neural import DEFAULT_MODE, NeuralSpec


def chosen_mode(spec: NeuralSpec, modes: tuple[str, ...], default: str) -> str:
    """Raises: ValueError for a mode that the framework does not have."""
    mode = default if spec.mode == DEFAULT_MODE else spec.mode
    if mode not in modes:
        raise ValueError(f"{spec.name}: no mode {mode} here; there are {', '.join(modes)}")
    return mode


def ahead(samples: int, size: int) -> int:
    """How many samples, the first ones of so many, have all batches that answering them has: a whole and a last one."""
    return min(samples, size + samples % size)


def filled(rows: np.ndarray, size: int) -> np.ndarray:
    """A last, smaller batch filled up with row 0: XLA would compile its shape anew."""
    return np.pad(rows, (0, size - len(rows)))


def made(batch_of: Callable[[Any], Any], several: Iterable[Any], more: int) -> Iterator[Any]:
    """The batch of each rows in turn; by a thread that makes so many `more` while one is used."""
    if not more:
        yield from map(batch_of, several)
        return
    with ThreadPoolExecutor(1) as maker:
        waiting: deque[Future[Any]] = deque()
        for rows in several:
            waiting.append(maker.submit(batch_of, rows))
            if len(waiting) > more:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def kind_of(array: np.ndarray) -> str:
    """b, f, i, or u of images' bytes [n, ..., rows, columns, channels], which the device takes as they are.

    Other whole numbers are words or classes.
    """
    is_image = array.dtype == np.uint8 and array.ndim >= 4
    return "u" if is_image else array.dtype.kind.replace("u", "i")


def trainer_module(framework: str) -> str:
    """E.g. keras-jax -> suite.trainers.keras_trainer."""
    return f"{__name__}.{framework.partition('-')[0]}_trainer"
