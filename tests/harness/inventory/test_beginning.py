"""What a run begins with: a file's weights laid over the drawn ones, and what of a file is no sound weight."""

from __future__ import annotations

import math
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from harness.errors import UsageError
from harness.files import array_files, tensor_files
from harness.inventory.beginning import beginning
from suite.llm.spec import SPEC as LLM
from suite.mask_rcnn.spec import SPEC as MASK_RCNN
from suite.mnist_cnn.spec import SPEC as MNIST_CNN
from suite.resnet50_imagenet.spec import SPEC as RESNET
from suite.ssd.spec import SPEC as SSD
from tests.public_resnet import state
from tests.tensor_files import write

SMALL = RESNET.with_settings({"depth": 11, "side": 32, "classes": 16})
PUBLIC = state(11, classes=16, seed=1)
SEED = 3


def test_a_whole_file_leaves_nothing_drawn() -> None:
    found = beginning(SMALL, SEED, PUBLIC)
    assert found.drawn == ()
    assert found.told == "62 of 62 arrays; none stays random; left out: 12 counts of batches"
    assert {array.dtype for array in found.weights.values()} == {np.dtype(np.float32)}
    expected = SMALL.from_checkpoint(PUBLIC).weights
    assert all(np.array_equal(found.weights[name], array) for name, array in expected.items())


@pytest.mark.parametrize(
    "spec",
    [
        SMALL.with_settings({"classes": 8}),
        SSD.with_settings({"depth": 11, "channels": 64, "most_side": 96, "most_classes": 4}),
        MASK_RCNN.with_settings(
            {"depth": 14, "narrowing": 4, "channels": 32, "hidden": 64, "most_classes": 4}
        ),
    ],
    ids=lambda spec: spec.name,
)
def test_what_a_file_lacks_stays_as_the_seed_draws_it_and_is_said(spec) -> None:  # type: ignore[no-untyped-def]
    depth, narrowing = (14, 4) if spec is not SMALL and spec.name == "mask_rcnn" else (11, 1)
    found = beginning(spec, SEED, state(depth, classes=16, narrowing=narrowing))
    drawn = spec.initial_weights(SEED)
    assert found.weights.keys() == drawn.keys()
    backbone = {name for name in drawn if name.startswith(("stem", "stage"))}
    assert set(found.drawn) == drawn.keys() - backbone != set()
    for name, array in drawn.items():
        same = np.array_equal(found.weights[name], array.astype(np.float32))
        assert same is (name in found.drawn), name
    assert f"random stay {found.drawn[0]}" in found.told


def test_a_classifier_of_other_classes_is_said() -> None:
    told = beginning(SMALL.with_settings({"classes": 8}), SEED, PUBLIC).told
    assert (
        "60 of 62 arrays; random stay dense/bias, dense/kernel; left out: 12 counts of batches, 2 of 16 classes"
        in told
    )


def test_numbers_of_16_and_64_bits_are_taken_as_32() -> None:
    wide = {name: array.astype(np.float64) if array.ndim else array for name, array in PUBLIC.items()}
    half = {name: array.astype(np.float16) if array.ndim else array for name, array in PUBLIC.items()}
    name = "stage1_block1_conv1/kernel"
    expected = beginning(SMALL, SEED, PUBLIC).weights[name]
    assert np.array_equal(beginning(SMALL, SEED, wide).weights[name], expected)
    assert np.array_equal(beginning(SMALL, SEED, half).weights[name], expected.astype(np.float16))


KERNEL, SPREAD = PUBLIC["conv1.weight"], PUBLIC["bn1.running_var"]


NOT_FINITE = "its stem/kernel has numbers that are not finite in 32 bits"
ONE_NAN = np.concatenate([KERNEL[:-1], np.full_like(KERNEL[-1:], np.nan)])


@pytest.mark.parametrize(
    ("name", "array", "reason"),
    [
        ("conv1.weight", ONE_NAN, NOT_FINITE),
        ("conv1.weight", np.full(KERNEL.shape, np.inf), NOT_FINITE),
        ("conv1.weight", np.full(KERNEL.shape, 1e39), NOT_FINITE),
        ("conv1.weight", np.ones(KERNEL.shape, np.int8), "its stem/kernel is of int8, and weights are of float"),
        ("conv1.weight", np.ones(KERNEL.shape, bool), "its stem/kernel is of bool"),
        ("conv1.weight", KERNEL.T, r"its stem/kernel is of shape \[3, 64, 7, 7\], not \[7, 7, 3, 64\]"),
        ("conv1.weight", KERNEL[0], r"its stem/kernel is of shape \[7, 7, 3\], not"),
        ("conv1.weight", np.ones(()), r"its stem/kernel is of shape \[\], not"),
        ("bn1.running_var", -SPREAD, "its stem_norm/variance has negative numbers, which no variance is"),
        ("bn1.running_mean", SPREAD[:-1], r"its stem_norm/mean is of shape \[63\], not \[64\]"),
        ("fc.weight", PUBLIC["fc.weight"].T, r"its dense/kernel is of shape \[16, 512\], not \[512, 16\]"),
        ("layer1.0.conv4.weight", KERNEL, "no ResNet of depth 11 has 'layer1.0.conv4.weight'"),
    ],
)  # fmt: skip
def test_what_is_no_sound_weight_is_refused_by_its_name(name: str, array: np.ndarray, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        beginning(SMALL, SEED, {**PUBLIC, name: array})


def test_a_wider_network_of_the_same_names_is_refused() -> None:
    with pytest.raises(
        UsageError, match=r"is of shape \[7, 7, 3, 64\], not \[7, 7, 3, 16\]: is it of another network"
    ):
        beginning(MASK_RCNN.with_settings({"depth": 14, "narrowing": 4}), SEED, state(14))


def test_a_workload_that_takes_none_says_so() -> None:
    with pytest.raises(UsageError, match="mnist_cnn takes no pretrained weights"):
        beginning(MNIST_CNN, SEED, PUBLIC)


def test_a_language_model_in_16_bits_is_widened_one_array_at_a_time(tmp_path: Path) -> None:
    sizes = {
        "width": 128,
        "inner": 352,
        "layers": 8,
        "heads": 4,
        "kv_heads": 2,
        "vocabulary": 1000,
        "tied": False,
    }
    spec = LLM.with_settings({"form": "llama", "context": 640, **sizes})
    halves = {name: np.full(shape, 0x3FC0, "<u2") for name, shape in spec.shapes.items()}
    write(tmp_path / "a", halves, dict.fromkeys(halves, "BF16"))
    held = tensor_files.read(tmp_path / "a").tensors
    whole = 4 * sum(map(math.prod, spec.shapes.values()))
    tracemalloc.start()
    with (tmp_path / "b").open("wb") as file:
        array_files.write(file, beginning(spec, SEED, held).weights.items())
    assert tracemalloc.get_traced_memory()[1] < whole / 2
    tracemalloc.stop()
    with np.load(tmp_path / "b") as found:
        assert {name: array.shape for name, array in found.items()} == spec.shapes
        assert {(float(array.min()), float(array.max())) for array in found.values()} == {(1.5, 1.5)}
