"""No convolution before a frozen normalisation has a bias, which PyTorch's folding of the two would lose."""

import pytest

from harness.inventory import catalog, specs

FROZEN = "/frozen_gamma"

SCRIPT = """
import json, sys
import torch
from suite.mask_rcnn.spec import SPEC
from suite.mask_rcnn.torch_impl import Net
from suite.trainers.torch_layers import FrozenNorm
found = []

class Seen(FrozenNorm):
    def forward(self, x, before):
        found.append(before.bias is not None)
        return super().forward(x, before)

spec = SPEC.with_settings(SPEC.proof_settings)
net = Net(spec).double()  # as what standardises images is
for one in net.modules():
    if isinstance(one, FrozenNorm):
        one.__class__ = Seen
net._pyramid(torch.zeros(1, 3, spec.most_side, spec.most_side))
json.dump({"biased": found, "norms": sum(isinstance(one, Seen) for one in net.modules())}, open(sys.argv[1], "w"))
"""


def test_no_spec_has_one():
    specs_ = {name: specs.of_workload(name) for name in catalog.workloads()}
    named = {name: set(getattr(spec, "shapes", ())) for name, spec in specs_.items()}
    frozen = {name: {one for one in names if one.endswith(FROZEN)} for name, names in named.items()}
    assert [name for name in frozen if frozen[name]] == ["mask_rcnn"], (
        "say which convolutions another's follow"
    )
    bias_before = {f"{one.norm}{FROZEN}": f"{one.name}/bias" for one in specs_["mask_rcnn"].backbone}
    assert set(bias_before) == frozen["mask_rcnn"]
    assert not set(bias_before.values()) & named["mask_rcnn"]


@pytest.mark.frameworks
def test_no_convolution_that_is_given_to_one_has_one(found_by):
    told = found_by(SCRIPT, "torch")
    assert told["norms"] > 0
    assert told["biased"] == [False] * told["norms"]
