"""PyTorch's networks begin with the weights that all are given, and draw none of their own first."""

import pytest

from harness.inventory import catalog
from suite.neural import NeuralSpec

NEURAL = [
    name
    for name, one in catalog.workloads().items()
    if isinstance(one.spec, NeuralSpec) and "torch" in one.frameworks
]

pytestmark = pytest.mark.frameworks

SCRIPT = """
import importlib, json, sys
import numpy as np
import torch
from torch import nn
from suite.runtimes import implementation_module
from contextlib import contextmanager
from suite.trainers import torch_layers, torch_layout
out, *workloads = sys.argv[1:]
undrawn = torch_layers.undrawn

@contextmanager
def marked():
    "What layers leave open is no number, and stays none where nobody gives one."
    with undrawn():
        for name in torch_layers.DRAWS:
            setattr(nn.init, name, lambda tensor, *given, **named: tensor.data.fill_(np.nan))
        yield

torch_layers.undrawn = marked
found = {}
for name in workloads:
    spec = importlib.import_module(f"suite.{name}.spec").SPEC
    spec = spec.with_settings(dict(spec.proof_settings))
    weights = {one: np.asarray(array) for one, array in spec.initial_weights(1).items()}
    torch.manual_seed(1)
    before = torch.get_rng_state()
    one = importlib.import_module(implementation_module(name, "torch")).Impl(spec, weights, "float32", "cpu")
    given = {layout.torch_name for layout in torch_layout.layouts(one.net)}
    held = one.params()
    found[name] = {
        "drawn": not torch.equal(before, torch.get_rng_state()),
        "ungiven": [each for each, tensor in one.net.named_parameters() if each not in given and tensor.any()],
        "other": [each for each in weights if not np.array_equal(held[each], weights[each].astype(np.float32))],
    }
drawn = nn.Linear(2, 2).weight
found["after"] = bool(drawn.any()) and not torch.equal(before, torch.get_rng_state())
json.dump(found, open(out, "w"))
"""


def test_no_weight_is_drawn_and_every_one_is_given(found_by):
    found = found_by(SCRIPT, "torch", *NEURAL)
    assert found.pop("after")  # layers of others draw theirs as ever
    assert len(found) == len(NEURAL) > 10
    assert found == {name: {"drawn": False, "ungiven": [], "other": []} for name in NEURAL}
