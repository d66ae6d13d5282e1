"""One `<framework>_trainer.py` per framework: how it trains, predicts, executes (modes) and rounds (precision).

An implementation, `suite/<workload>/<framework>_impl.py`, is a Trainer with a model. So the loop that is measured is
written once per framework, and a workload's file holds its layers alone.
"""

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


def trainer_module(framework: str) -> str:
    """E.g. keras-jax -> suite.trainers.keras_trainer."""
    return f"{__name__}.{framework.partition('-')[0]}_trainer"
