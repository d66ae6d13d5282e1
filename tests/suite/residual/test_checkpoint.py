"""Checkpoints of ResNets: whose number is whose, in which layout, and what is no ResNet of that depth."""

import numpy as np
import pytest

from suite.mask_rcnn.spec import SPEC as MASK_RCNN
from suite.mnist_cnn.spec import SPEC as MNIST_CNN
from suite.resnet50_imagenet.spec import SPEC as RESNET
from suite.spec import SettingError
from suite.ssd.spec import SPEC as SSD
from tests.public_resnet import shapes, state

SMALL = RESNET.with_settings({"depth": 14, "side": 32, "classes": 16})
PUBLIC = state(14, classes=16, seed=1)
SMALLEST = [
    RESNET.with_settings({"depth": 11}),
    SSD.with_settings({"depth": 11}),
    MASK_RCNN.with_settings({"depth": 14}),
]


def blank(depth, classes=1000):
    """Names and shapes alone; no memory."""
    return {name: np.broadcast_to(np.float32(0), shape) for name, shape in shapes(depth, classes)}


@pytest.fixture(scope="module")
def ours():
    return SMALL.from_checkpoint(PUBLIC).weights


def test_a_published_resnet_50_is_the_whole_network_of_ours_to_the_last_shape():
    published = blank(50)
    assert len(published) == 320  # as torchvision's has, 53 counts of batches among them
    found = RESNET.from_checkpoint(published)
    wanted = RESNET.initial_weights(0)
    assert {name: array.shape for name, array in found.weights.items()} == {
        name: array.shape for name, array in wanted.items()
    }
    assert set(found.left.values()) == {"counts of batches"} and len(found.left) == 53


@pytest.mark.parametrize(
    ("public", "name"),
    [
        ("conv1.weight", "stem/kernel"),
        ("layer2.0.conv2.weight", "stage2_block1_conv2/kernel"),
        ("layer4.0.downsample.0.weight", "stage4_block1_projection/kernel"),
    ],
)
def test_a_convolution_gives_what_it_gives_in_its_own_layout(ours, public, name):
    kernel = PUBLIC[public]
    image = np.random.default_rng(2).normal(size=kernel.shape[1:])  # channels, height, width
    expected = np.einsum("ihw,oihw->o", image, kernel)
    np.testing.assert_allclose(np.einsum("hwi,hwio->o", image.transpose(1, 2, 0), ours[name]), expected)


def test_the_classifier_gives_what_it_gives_in_its_own_layout(ours):
    features = np.random.default_rng(3).normal(size=2048)
    expected = PUBLIC["fc.weight"] @ features + PUBLIC["fc.bias"]
    np.testing.assert_allclose(features @ ours["dense/kernel"] + ours["dense/bias"], expected)


@pytest.mark.parametrize(
    ("public", "name"),
    [
        ("bn1", "stem_norm"),
        ("layer1.0.bn3", "stage1_block1_conv3_norm"),
        ("layer3.0.downsample.1", "stage3_block1_projection_norm"),
    ],
)
def test_a_normalisation_gives_what_it_gives_there(ours, public, name):
    """In PyTorch (x - running_mean) / sqrt(running_var + eps) * weight + bias."""
    scale, shift, mean, variance = (
        PUBLIC[f"{public}.{word}"] for word in ("weight", "bias", "running_mean", "running_var")
    )
    x = np.linspace(-1, 1, scale.size)
    gamma, beta, memory, spread = (ours[f"{name}/{word}"] for word in ("gamma", "beta", "mean", "variance"))
    expected = (x - mean) / np.sqrt(variance + 1e-5) * scale + shift
    np.testing.assert_allclose((x - memory) / np.sqrt(spread + 1e-5) * gamma + beta, expected)


def test_our_own_names_are_taken_as_they_are(ours):
    again = SMALL.from_checkpoint(dict(ours))
    assert all(again.weights[name] is array for name, array in ours.items()) and not again.left


def test_detectors_take_the_backbone_alone():
    published = state(50)
    ssd, mask_rcnn = SSD.from_checkpoint(published), MASK_RCNN.from_checkpoint(published)
    of_four = {name for name in MASK_RCNN.shapes if name.startswith(("stem", "stage"))}
    assert set(mask_rcnn.weights) == of_four
    assert {name for name, why in mask_rcnn.left.items() if why != "counts of batches"} == {
        "fc.weight",
        "fc.bias",
    }
    assert set(ssd.weights) == {name for name in SSD.initial_weights(0) if name.startswith(("stem", "stage"))}
    assert any(name.startswith("layer4") for name in ssd.left)
    frozen = {f"layer1.0.bn1.{word}": f"stage1_block1_conv1_norm/{ours}" for word, ours in (
        ("weight", "frozen_gamma"), ("bias", "frozen_beta"), ("running_mean", "mean"), ("running_var", "variance"),
    )}  # fmt: skip
    for public, name in frozen.items():
        assert np.array_equal(mask_rcnn.weights[name], published[public])


def test_a_detector_takes_its_own_heads_where_a_file_has_them():
    small = MASK_RCNN.with_settings({"depth": 14, "narrowing": 16, "channels": 8})
    own = small.initial_weights(5)
    assert set(small.from_checkpoint(own).weights) == set(own)


@pytest.mark.parametrize("classes", [8, 1000])
def test_a_classifier_of_other_classes_is_left_and_said(classes):
    found = RESNET.with_settings({"depth": 14, "classes": classes}).from_checkpoint(PUBLIC)
    assert not {name for name in found.weights if name.startswith("dense")}
    why = f"of 16 classes, not of {classes}"
    assert [name for name, said in found.left.items() if said == why] == ["fc.weight", "fc.bias"]


def test_a_checkpoint_without_a_classifier_gives_the_rest():
    found = SMALL.from_checkpoint(
        {name: array for name, array in PUBLIC.items() if not name.startswith("fc.")}
    )
    assert not {name for name in found.weights if name.startswith("dense")}
    assert set(found.left.values()) == {"counts of batches"}


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (blank(18), r"no ResNet of depth 14 has 'layer1\.1\.bn1\.bias'"),
        (blank(101), r"no ResNet of depth 14 has 'layer1\.1\.bn1\.bias'.* and \d+ more: is it of another"),
        ({}, r"it lacks 'stage1_block1_conv1/kernel'.* and \d+ more, which a ResNet of depth 14 has: is it"),
        ({name: array for name, array in PUBLIC.items() if not name.startswith("layer4")},
         "it lacks 'stage4_block1_conv1/kernel'.*, which a ResNet of depth 14 has"),
        ({**PUBLIC, "surprise": np.zeros(1)}, "no ResNet of depth 14 has 'surprise'"),
        ({**PUBLIC, "x" * 9000: np.zeros(1)}, f"has '{'x' * 80}': is it"),
        ({f"module.{name}": array for name, array in PUBLIC.items()}, "has 'module.bn1.bias'"),
        ({name: array for name, array in PUBLIC.items() if name != "layer2.0.bn2.running_var"},
         "it lacks 'stage2_block1_conv2_norm/variance', which"),
        ({name: array for name, array in PUBLIC.items() if name != "fc.weight"}, "it lacks 'dense/kernel', which"),
        ({**PUBLIC, "stem/kernel": np.zeros(1)}, "it has two tensors for stem/kernel, by two names: keep one"),
    ],
)  # fmt: skip
def test_what_is_no_resnet_of_that_depth_is_refused_with_its_names(changed, reason):
    with pytest.raises(SettingError, match=reason):
        SMALL.from_checkpoint(changed)


@pytest.mark.parametrize("spec", SMALLEST, ids=lambda spec: spec.name)
def test_the_rest_of_another_depth_is_never_taken_for_a_part(spec):
    """The blocks of a ResNet-101 hold those of every other one."""
    with pytest.raises(SettingError, match="is it of another network or depth"):
        spec.from_checkpoint(blank(101))


def test_who_takes_none_says_so():
    with pytest.raises(SettingError, match="mnist_cnn takes no pretrained weights"):
        MNIST_CNN.from_checkpoint(PUBLIC)
