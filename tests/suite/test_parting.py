"""A deep ResNet is held together for one step of float32, a shallow one for as many as any network."""

import numpy as np
import pytest

from harness.conformance.tolerances import tolerance
from suite.mask_rcnn.spec import SPEC as MASKS
from suite.resnet.spec import SPEC as SMALL_IMAGES
from suite.resnet50_imagenet.spec import SPEC as IMAGENET
from suite.ssd.spec import SPEC as BOXES
from suite.verify import KINDS, as_proven, kind_of


@pytest.mark.parametrize("spec", [SMALL_IMAGES, IMAGENET], ids=lambda one: one.name)
def test_fewer_steps_are_together_where_it_is_deep_and_measured(spec):
    assert kind_of("own", spec).together == 1
    assert kind_of("own", spec.with_settings({"depth": 11})).together == KINDS["own"].together
    for kind in ("long", "exact"):  # of the proof's own 11 layers
        assert kind_of(kind, spec) == KINDS[kind]


WIDER = {"resnet": {"first_loss", "epoch_loss"}, "mask_rcnn": {"first_loss", "early_losses", "losses"}}
WIDER["ssd"] = {"first_loss"}
WIDER["resnet50_imagenet"] = WIDER["resnet"]


@pytest.mark.parametrize("spec", [SMALL_IMAGES, IMAGENET, BOXES, MASKS], ids=lambda one: one.name)
def test_only_what_is_measured_deep_has_wider_bounds(spec):
    shallow, deep = spec.with_settings({"depth": spec.proof_settings["depth"]}), spec
    for kind in KINDS:
        before, after = (
            tolerance("jax", kind, as_proven(one, KINDS[kind]).allowed_apart()) for one in (shallow, deep)
        )
        wider = {name for name, value in vars(after).items() if value > getattr(before, name)}
        assert wider == (WIDER[spec.name] if kind == "own" else set())
        assert all(np.array(list(vars(after).values())) >= np.array(list(vars(before).values())))


@pytest.mark.parametrize("framework", ["torch", "tensorflow", "keras", "keras-jax", "keras-torch", "jax"])
@pytest.mark.parametrize("spec", [BOXES, MASKS], ids=lambda one: one.name)
def test_a_detector_s_bounds_are_wider_against_another_framework_alone(spec, framework):
    usual = tolerance(framework, "own", spec.tolerances)
    found = tolerance(framework, "own", spec.allowed_apart())
    assert (found == usual) is (framework == "torch")
