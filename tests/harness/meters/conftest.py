"""The machines that the tests of the meters ask: emulated GPUs, an empty place for powercap zones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.emulators.nvml.stub import Cycle, NvmlStub
from tests.harness.meters.nvml_asked import MakeStub


@pytest.fixture
def stub(tmp_path: Path) -> Iterator[MakeStub]:
    """Emulated GPUs with these power cycles, in this process."""
    contexts = []

    def make(*cycles: Cycle, **values: object) -> NvmlStub:
        one = NvmlStub(tmp_path, *cycles)
        one.set(values)
        contexts.append(one.loaded())
        contexts[-1].__enter__()
        return one

    yield make
    for context in contexts:
        context.__exit__(None, None, None)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Where a test makes its powercap zones."""
    return tmp_path / "powercap"
