"""ResNets are built as published, by their depth and for each data set's classes."""

import numpy as np
import pytest

from harness.datasets import source
from harness.environments.choose import Choice
from harness.planning import planner
from harness.planning.plan import Selection
from harness.planning.planner import PlanRequest
from suite.neural import trains
from suite.residual.layers import layers_of
from suite.resnet.spec import SPEC
from suite.spec import SettingError

PUBLISHED = {50: 25_557_032, 101: 44_549_160, 152: 60_192_808}  # trained numbers, as torchvision prints them
IMAGENET_HEAD = 2048 * 1000 + 1000


def shapes(spec):
    return {name: array.shape for name, array in spec.initial_weights(0).items()}


@pytest.mark.unhurried
@pytest.mark.parametrize("depth", PUBLISHED)
def test_depths_have_the_published_sizes(depth):
    spec = SPEC.with_settings({"depth": depth})
    convolutions = [one for one in layers_of(spec.blocks) if "projection" not in one.name]
    assert len(convolutions) + 1 == depth  # with the dense layer
    trained = sum(int(np.prod(shape)) for name, shape in shapes(spec).items() if trains(name))
    assert trained == PUBLISHED[depth] - IMAGENET_HEAD + 2048 * 10 + 10


def test_the_small_depth_has_every_kind_of_block():
    def kinds(depth):
        blocks = SPEC.with_settings({"depth": depth}).blocks
        return {(one.layers[1].stride, one.projection is None) for one in blocks}

    assert kinds(11) == kinds(152) == {(1, True), (1, False), (2, False)}


def test_the_stride_is_in_the_3x3_convolution():
    first = next(one for one in SPEC.blocks if one.layers[1].stride == 2)
    assert [(one.size, one.stride) for one in first.layers] == [(1, 1), (3, 2), (1, 1)]


@pytest.mark.parametrize("name", SPEC.datasets)
def test_the_head_has_the_classes_of_the_data_set(name):
    spec = SPEC.with_settings({"depth": 11}).with_dataset(name)
    stand_in = source(f"synthetic-{name.removeprefix('synthetic-')}")
    assert shapes(spec)["dense/kernel"] == (512, stand_in.classes)
    assert spec.classes == stand_in.classes


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [({"depth": 18}, "depth must be one of 11, 14, 50, 101, 152, not 18"), ({"batch_size": 1}, "at least 2")],
)
def test_what_cannot_be_built_is_refused(settings, complaint):
    with pytest.raises(SettingError, match=complaint):
        SPEC.with_settings(settings)


def test_the_study_expands_to_all_its_treatments():
    plan = planner.make_plan(PlanRequest("sotillos23", Selection(), 1, None), Choice("virtualenv"))
    assert plan.skipped == ()
    assert len(plan.treatments) == 2 * 3 * 3 * 4  # frameworks, data sets, depths, batch sizes
    assert {(one.workload, one.stage) for one in plan.treatments} == {("resnet", "train")}
