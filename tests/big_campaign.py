"""A campaign of a whole profile: nine workloads, five frameworks, two stages; nothing of it is small."""

from __future__ import annotations

from dataclasses import replace

from harness.findings.codes import Code
from harness.records import Finding
from tests.campaigns import Recipe

WORKLOADS = (
    "mnist_cnn", "mnist_mlp", "cifar10_cnn", "emotion_rnn", "malaria_cnn", "ncf", "svm", "random_forest",
    "logistic_regression",
)  # fmt: skip
FRAMEWORKS = {"torch": 1.0, "tensorflow": 1.04, "keras": 1.01, "jax": 0.98, "sklearn": 1.02}
APART = {  # the differences that four blocks can see
    ("mnist_cnn", "tensorflow"): 1.9,
    ("mnist_mlp", "jax"): 0.45,
    ("emotion_rnn", "keras"): 2.6,
    ("svm", "sklearn"): 0.12,
    ("ncf", "tensorflow"): 1.7,
}
BUSY = Finding.of(Code.FOREIGN_LOAD, "other processes used 0.71 of 2 CPUs")
SCALED = Finding.of(Code.SCALED_DOWN, "profile quick trains 3 epochs of 12")

BIG = Recipe(
    frameworks=FRAMEWORKS, workload=WORKLOADS[0], more_workloads=WORKLOADS[1:], stages=("train", "infer"),
    blocks=4, noise=0.06, seconds=12.0, meter="estimate", ripple=0.05, epochs=4, apart=APART,
    run_findings=(BUSY,), findings_every=3, findings=(SCALED,),
)  # fmt: skip
MEASURED = replace(BIG, meter="rapl", blocks=8, noise=0.01, run_findings=())
