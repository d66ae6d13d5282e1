"""A recorded step of PyTorch's writing gives the tokens that the same step gives by calls. Needs PyTorch for CUDA."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest

pytestmark = pytest.mark.gpu
REQUESTS, BATCH = 12, 4


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("form", ["llama", "gpt2"])
def test_the_tokens_are_those_of_calls(form: str, precision: str) -> None:
    torch = pytest.importorskip("torch", reason="no PyTorch in this Python")
    if not torch.cuda.is_available():
        pytest.skip("no GPU that PyTorch sees")
    by_calls, recorded = tokens(form, precision, recorded=False), tokens(form, precision, recorded=True)
    assert len(np.unique(by_calls, axis=0)) > 1
    assert np.array_equal(by_calls, recorded)


def tokens(form: str, precision: str, recorded: bool) -> np.ndarray:
    """Of batches that are all read before any is answered; then of a smaller one, and after a step of training."""
    from suite.llm import torch_static_writer
    from suite.llm.spec import SPEC
    from suite.llm.torch_impl import Impl

    sizes = {"form": form, "precision": precision, "requests": REQUESTS, "predict_batch_size": BATCH}
    spec = SPEC.with_settings({**SPEC.proof_settings, **sizes, "batch_size": 2})
    examples = spec.examples(REQUESTS, 1)
    kept = torch_static_writer.recorded
    with patch.object(torch_static_writer, "recorded", kept if recorded else lambda work: work):
        one = Impl(spec, spec.proof_weights(1), "float32", "cuda")
        data = one.place(spec.inputs(examples, "float32"))
        one.compile(data, "generate")
        told = [one.infer(data, rows, "generate")["tokens"] for rows in (np.arange(REQUESTS), np.arange(3))]
        one.step(spec.batch(spec.inputs(examples, "float32"), np.arange(2)))
        return np.concatenate([*told, one.infer(data, np.arange(REQUESTS), "generate")["tokens"]])
