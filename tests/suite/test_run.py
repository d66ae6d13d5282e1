"""`python -m suite.run` for real: every framework, both stages, in its own environment on the embedded digits."""

import os
from contextlib import closing
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from harness.inventory import catalog
from suite import protocol
from suite.fingerprint import FIRST_STEPS, hash_of
from suite.protocol import Request
from tests.desk import Desk

ROOT = Path(__file__).parents[2]
CNN = ("torch", "tensorflow", "keras", "keras-jax", "keras-torch", "jax")
CLASSICAL = ("svm", "logistic_regression", "random_forest")
EPOCHS = 2
SETTINGS = {
    "mnist_cnn": {"epochs": EPOCHS, "batch_size": 32, "infer_passes": 2},
    **{name: {"epochs": EPOCHS, "infer_passes": 2} for name in CLASSICAL},
}
ALL = [*(("mnist_cnn", framework) for framework in CNN), *((name, "sklearn") for name in CLASSICAL)]

pytestmark = pytest.mark.frameworks


class Ran:
    """What one execution left behind."""

    def __init__(self, desk, result):
        self.state, self.code, self.events = desk.output, result.returncode, desk.events
        self.stdout, self.stderr = result.stdout, result.stderr

    def of(self, kind):
        return [event.data for event in self.events if event.kind == kind]

    def phases(self):
        return [(data["name"], data["edge"], data["epoch"]) for data in self.of("phase")]

    def accuracy(self):
        return self.of("metrics")[-1]["values"]["accuracy"]


@pytest.fixture(scope="module")
def execute(framework_python, digits, tmp_path_factory):
    """A function that executes one run, waits for it, and holds its lease meanwhile."""

    def run(workload, framework, stage, state=None, settings=None, **request):
        settings = SETTINGS[workload] if settings is None else settings
        asked = Request("r", workload, framework, stage, "digits", 0, settings=settings, **request)
        with closing(Desk(tmp_path_factory.mktemp(f"{framework}-{stage}") / "r", asked)) as desk:
            desk.folder.lease.go()
            desk.folder.lease.bye()  # in advance: nothing here reads the process' counters after its last event
            arguments = [desk.folder.request, desk.folder.worker, digits, *([state] if state else [])]
            command = [framework_python(framework), "-m", "suite.run", *arguments]
            environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
            return Ran(desk, desk.run(command, cwd=desk.folder.worker, env=environment))

    return run


@pytest.fixture(scope="module")
def trained(execute):
    """A function (workload, framework) -> its train run, which kept its state."""
    return cache(lambda workload, framework: execute(workload, framework, "train", keep_state=True))


def _begin_and_end(name, epoch=None):
    return [(name, "begin", epoch), (name, "end", epoch)]


BEFORE = [mark for name in ("import", "load", "build", "compile") for mark in _begin_and_end(name)]


@pytest.mark.parametrize(("workload", "framework"), ALL)
def test_a_train_run_marks_its_phases_and_says_what_it_did(trained, workload, framework):
    ran = trained(workload, framework)
    assert ran.code == 0, ran.stderr[-2000:]
    epochs = range(1, EPOCHS + 1)
    parts = [part for k in epochs for part in (_begin_and_end("train", k) + _begin_and_end("evaluate", k))]
    assert ran.phases() == BEFORE + parts + _begin_and_end("teardown")
    assert ran.stdout == ""
    assert [ran.events[0].kind, ran.events[-1].kind] == ["ready", "done"]
    assert [data["epoch"] for data in ran.of("metrics")] == list(epochs)
    assert ran.accuracy() > 0.9


@pytest.mark.parametrize(("workload", "framework"), ALL)
def test_a_train_run_reports_its_work_facts_and_usage(trained, workload, framework):
    ran = trained(workload, framework)
    (work,), (facts,), (usage,) = ran.of("work"), ran.of("facts"), ran.of("usage")
    steps, samples = (EPOCHS, EPOCHS * 1437) if workload in CLASSICAL else (EPOCHS * 44, EPOCHS * 44 * 32)
    assert (work["steps"], work["samples"]) == (steps, samples)
    assert work["parameters"] == 268_298 or workload in CLASSICAL
    assert work["data_bytes"] == (1437 + 360) * (28 * 28 + 8)
    assert (work["flops_per_step"] is None) == (facts["mode"] is None) == (workload in CLASSICAL)
    assert facts["framework"] == framework
    assert facts["version"] and facts["threads"] == 1 and facts["devices"]
    assert usage["cpu_s"] > 0 and usage["memory_peak_bytes"] > 50e6
    assert usage["gpu_memory_peak_bytes"] is None


@pytest.mark.parametrize(("workload", "framework"), ALL)
def test_a_train_run_leaves_what_every_epoch_computed(trained, workload, framework):
    """The rows that its steps took are those of the order, as the harness knows it; the losses are finite and fall."""
    spec = catalog.workload(workload).spec.with_settings(SETTINGS[workload])
    orders = [spec.batch_order(1437, 0, epoch) for epoch in range(1, EPOCHS + 1)]
    (told,) = trained(workload, framework).of("fingerprint")
    assert [one["rows"] for one in told["epochs"]] == [hash_of(order) for order in orders]
    assert [(one["steps"], one["samples"]) for one in told["epochs"]] == [(len(o), o.size) for o in orders]
    losses = [one.get("loss") for one in told["epochs"]]
    assert workload in CLASSICAL or 0 < losses[1] < losses[0] < 3
    kept = 0 if workload in CLASSICAL or framework.startswith("keras") else FIRST_STEPS
    assert {len(one["first_losses"]) for one in told["epochs"]} == {kept}


# PyTorch reads all others' states, and all read PyTorch's: so all read all.
@pytest.mark.parametrize(
    ("source", "framework"), [*((one, "torch") for one in CNN), *(("torch", one) for one in CNN[1:])]
)
def test_a_trained_state_infers_alike_in_every_framework(execute, trained, source, framework):
    train = trained("mnist_cnn", source)
    ran = execute("mnist_cnn", framework, "infer", train.state)
    assert ran.code == 0, ran.stderr[-2000:]
    assert ran.phases() == BEFORE + 2 * _begin_and_end("infer") + _begin_and_end("teardown")
    assert ran.accuracy() == train.accuracy()
    assert ran.of("work")[0]["samples"] == 2 * 360
    assert ran.stdout == ""
    assert_answers_as_evaluated(ran, train)


def assert_answers_as_evaluated(ran, train):
    """Each pass takes the rows in another order, and all say what the evaluation after the training said."""
    evaluated = train.of("fingerprint")[-1]["epochs"][-1]["answers"]
    passes, last = ran.of("fingerprint")
    assert passes["passes"] == pytest.approx([evaluated["projection"]] * 2, abs=1e-5 * evaluated["norm"])
    assert last["answers"] == pytest.approx(evaluated, rel=1e-5, abs=1e-5 * evaluated["norm"])


@pytest.mark.parametrize("workload", CLASSICAL)
def test_what_scikit_learn_fitted_infers_as_it_was_trained(execute, trained, workload):
    train = trained(workload, "sklearn")
    ran = execute(workload, "sklearn", "infer", train.state)
    assert ran.code == 0, ran.stderr[-2000:]
    assert ran.stderr == train.stderr == ""
    assert ran.accuracy() == train.accuracy() >= catalog.workload(workload).spec.quality_floor["digits"]
    assert ran.phases() == BEFORE + 2 * _begin_and_end("infer") + _begin_and_end("teardown")


def test_a_state_is_plain_arrays(trained):
    for workload, framework in (("mnist_cnn", "jax"), *((name, "sklearn") for name in CLASSICAL)):
        file = trained(workload, framework).state
        with np.load(file, allow_pickle=False) as archive:
            assert all(archive[name].dtype.kind in "biuf" for name in archive.files)


@pytest.mark.parametrize("framework", [*CNN, "sklearn"])
def test_an_absent_gpu_is_one_clear_line(execute, framework):
    workload = "svm" if framework == "sklearn" else "mnist_cnn"
    ran = execute(workload, framework, "train", device="cuda")
    if ran.code == 0:
        pytest.fail("this test is written for machines without a GPU")
    (failed,) = ran.of("failed")
    assert ran.code == protocol.EXIT_FAILED
    assert failed["error"].startswith("RuntimeError: device cuda asked for, but ")
    assert ran.events[-1].kind == "failed"


def test_a_wrong_setting_fails_the_run_by_name(execute):
    ran = execute("svm", "sklearn", "train", settings={"epoch": 2})
    assert ran.code == protocol.EXIT_FAILED
    assert ran.of("failed")[0]["error"].startswith("SettingError: svm has no setting 'epoch'")
