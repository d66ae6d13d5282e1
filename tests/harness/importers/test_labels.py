"""What a file's name says of its run."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.importers.labels import label


@pytest.mark.parametrize(
    ("name", "workload", "framework", "stage", "repetition"),
    [
        ("mnist_cnn_torch_3.csv", "mnist_cnn", "torch", "unknown", 3),
        ("keras_12.csv", "unknown", "keras", "unknown", 12),
        ("resnet50-PyTorch-train-run2.csv", "resnet50", "torch", "train", 2),
        ("bert_tf_inference.csv", "bert", "tensorflow", "infer", None),
        ("torch/mnist_1.csv", "mnist", "torch", "unknown", 1),
        ("measurements_train/ncf_jax_4.txt", "ncf", "jax", "train", 4),
        ("7.csv", "unknown", "unknown", "unknown", 7),
    ],
)
def test_words_of_a_name(
    name: str, workload: str, framework: str, stage: str, repetition: int | None
) -> None:
    found = label(Path("/data") / name)
    one = found.treatment
    assert (one.workload, one.framework, one.stage, found.repetition) == (
        workload,
        framework,
        stage,
        repetition,
    )
