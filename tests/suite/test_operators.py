"""Each framework's own profiler, for real: what a small convolutional network is made of is found by name."""

import os
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest

from harness.analysis.operators import by_operator, normalised
from harness.profiling import told
from harness.worker.phases import phases
from suite.protocol import Request
from tests.desk import Desk

ROOT = Path(__file__).parents[2]
STEPS = 11  # of an epoch: 1437 digits, 128 at a time
OF_A_STEP = {"matrix product": 1, "matrix product, gradient": 1, "convolution": 1, "convolution, gradient": 1}
TRAINED = [
    ("torch", "eager"),
    ("tensorflow", "graph"),
    ("tensorflow", "eager"),
    ("tensorflow", "xla"),
    ("keras", ""),
    ("jax", "scan"),
    ("keras-jax", ""),
    ("keras-torch", ""),
]

pytestmark = pytest.mark.frameworks


@pytest.fixture(scope="module")
def recorded(framework_python, digits, tmp_path_factory):
    """A function (framework, mode, stage, epochs) -> what its profiler told, NORMALISED, its source and seconds.

    And the same as it was told, with the run's phases.
    """

    @cache
    def run(framework, mode="", stage="train", epochs=1):
        settings = {
            "epochs": epochs,
            "batch_size": 128,
            "infer_passes": 2,
            **({"mode": mode} if mode else {}),
        }
        asked = Request(
            "r", "mnist_cnn", framework, stage, "digits", 0, settings=settings, profiler="operators"
        )
        with closing(Desk(tmp_path_factory.mktemp(f"{framework}-{stage}") / "r", asked)) as desk:
            desk.folder.lease.go()
            desk.folder.lease.bye()
            command = [framework_python(framework), "-m", "suite.run"]
            command += [desk.folder.request, desk.folder.worker, digits]
            environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
            done = desk.run(command, cwd=desk.folder.worker, env=environment)
            assert done.returncode == 0, done.stderr[-2000:]
            found, marked = told.operators(desk.output.read_bytes()), list(phases(desk.events))
        return normalised(found), found["source"].iloc[0], found["recorded_s"].iloc[0], (found, marked)

    return run


@pytest.mark.parametrize(("framework", "mode"), TRAINED)
def test_the_same_operators_are_found_in_every_framework(recorded, framework, mode):
    rows, source, recorded_s, _ = recorded(framework, mode)
    found = by_operator(rows).set_index("operator")
    assert source.split(".")[0] == {"keras": "tensorflow"}.get(framework, framework.rpartition("-")[2])
    either = [name.partition(",")[0] for name in found.index]
    assert {"convolution", "matrix product", "pooling", "activation"} <= set(either)
    convolutions = found[[name.startswith("convolution") for name in found.index]]
    assert convolutions["share"].sum() > 0.4
    assert 0 < convolutions["seconds"].max() <= 2 * recorded_s
    assert found.loc["convolution, gradient", "calls"] % STEPS == 0
    assert found["share"].sum() == pytest.approx(1)


@pytest.mark.parametrize(("framework", "mode"), TRAINED)
def test_what_was_recorded_lies_in_its_phase_and_most_of_it_has_operators(recorded, framework, mode):
    """By the clock of the power's channels. Python takes a part of each step, more of it where it is called more."""
    *_, (found, marked) = recorded(framework, mode)
    began_ns, seconds, covered_s = found[["began_ns", "recorded_s", "covered_s"]].to_numpy()[0]
    (phase,) = (one for one in marked if one.name == "train")
    assert phase.begin_ns <= began_ns < began_ns + seconds * 1e9 <= phase.end_ns
    assert 0.4 * seconds < covered_s <= min(seconds, found["seconds"].sum() * 1.001)


@pytest.mark.parametrize("framework", ["torch", "tensorflow", "keras", "jax", "keras-jax"])
def test_what_updates_the_weights_is_told_apart(recorded, framework):
    mode = dict(TRAINED[::-1])[framework] if framework != "tensorflow" else "graph"
    rows, *_ = recorded(framework, mode)
    assert "optimiser update" in set(rows["operator"])


def test_the_first_epoch_alone_is_recorded(recorded):
    for epochs in (1, 2):
        rows, *_ = recorded("torch", "eager", epochs=epochs)
        (row,) = rows[rows["name"] == "ConvolutionBackward0"].to_dict("records")
        assert row["calls"] == 2 * STEPS  # two layers


def test_flops_are_those_of_the_layers_and_where_they_are_not_told_unknown(recorded):
    rows, *_ = recorded("torch", "eager")
    found = by_operator(rows).set_index("operator")
    layers = 28 * 28 * 9 * 64 + 14 * 14 * 25 * 64 * 128  # products of one image
    assert found.loc["convolution", "flops"] == pytest.approx(2 * layers * STEPS * 128, rel=1e-6)
    assert rows["bytes"].isna().all()
    others, *_ = recorded("tensorflow", "graph")
    assert others[["bytes", "flops"]].isna().all(axis=None)


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_a_pass_of_inference_has_no_gradients(recorded, framework):
    """From weights that were drawn: what is computed is the same."""
    rows, *_ = recorded(framework, stage="infer")
    assert "convolution" in set(rows["operator"])
    assert not [name for name in rows["operator"] if "gradient" in name]
