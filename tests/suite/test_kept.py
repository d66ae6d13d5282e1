"""What is kept and worked out together is what each epoch and pass would have told by itself, in their order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suite import fingerprint, kept
from suite.fingerprint import Epoch


@pytest.fixture(autouse=True, params=[1 << 20, 4000])
def bounds(request, monkeypatch):
    """That of a run, and one that few epochs and passes fill."""
    monkeypatch.setattr(kept, "MOST_BYTES", request.param)
    monkeypatch.setattr(kept, "AT_ONCE_BYTES", request.param // 8)


def scored(generator, count, rows):
    return [generator.normal(size=(rows, 10)).astype(np.float32) for _ in range(count)]


@given(st.integers(0, 30), st.integers(1, 100))
def test_passes(count, rows):
    generator = np.random.default_rng(count)
    passes = [(scores, generator.permutation(rows)) for scores in scored(generator, count, rows)]
    together = kept.Passes()
    for scores, order in passes:
        together.add({"scores": scores}, order)
    assert together.told() == [fingerprint.projection(*one) for one in passes]


@given(st.integers(0, 30), st.integers(1, 100))
def test_epochs(count, rows):
    generator = np.random.default_rng(count)
    truth = generator.integers(0, 10, rows)
    together, alone = kept.Epochs(truth), []
    for number, scores in enumerate(scored(generator, count, rows)):
        trained = Epoch(generator.random(3), generator.permutation(12).reshape(3, 4))
        state = {"state": f"{number:x}"} if number % 2 else {}
        together.add(trained, {"scores": scores}, **state)
        alone.append({**fingerprint.of_epoch(trained, fingerprint.of_answers(scores, truth)), **state})
    told = together.told()
    for one, expected in zip(told, alone, strict=True):
        assert one.pop("answers") == pytest.approx(expected.pop("answers"), rel=1e-5, abs=1e-4)
        assert one == expected


def test_no_more_is_kept_than_a_run_may_spare(monkeypatch):
    monkeypatch.setattr(kept, "MOST_BYTES", 4000)
    passes, epochs = kept.Passes(), kept.Epochs(np.zeros(9, int))
    for _ in range(50):
        outputs = {"scores": np.zeros((9, 10), np.float32)}
        passes.add(outputs, np.arange(9))
        epochs.add(Epoch(np.zeros(1), np.zeros((1, 2), int)), outputs)
        assert sum(one["scores"].nbytes + rows.nbytes for one, rows in passes._kept) <= 4500
        assert sum(one["scores"].nbytes for _, one, _ in epochs._kept) <= 4500
