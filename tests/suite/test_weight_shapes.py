"""A measured run counts its parameters without a copy of them, which of a large model takes seconds and gigabytes."""

import os
from contextlib import closing

import pytest

from harness import paths
from suite.protocol import Request
from tests.desk import Desk

pytestmark = pytest.mark.frameworks

SCRIPT = """
import importlib, sys
framework, *words = sys.argv[1:]
from suite import run
from suite.runtimes import implementation_module, runtime_module

importlib.import_module(runtime_module(framework))
Impl = importlib.import_module(implementation_module("mnist_cnn", framework)).Impl
params, shapes = Impl.params, Impl.weight_shapes

def copied(self):
    raise AssertionError("the weights are copied")

def held(self):
    told = dict(shapes(self))
    assert told == {name: array.shape for name, array in params(self).items()}
    return told

Impl.params, Impl.weight_shapes = copied, held
sys.exit(run.main(words))
"""


@pytest.mark.parametrize("framework", ["torch", "jax", "tensorflow", "keras"])
def test_they_are_counted_by_their_shapes(framework_python, digits, tmp_path, framework):
    settings = {"epochs": 1, "batch_size": 32, "infer_passes": 1}
    asked = Request("r", "mnist_cnn", framework, "train", "digits", 0, settings=settings)
    with closing(Desk(tmp_path / "r", asked)) as desk:
        desk.folder.lease.go()
        desk.folder.lease.bye()
        words = [desk.folder.request, desk.folder.worker, digits]
        environment = {**os.environ, "PYTHONPATH": str(paths.ROOT), "OMP_NUM_THREADS": "1"}
        command = [framework_python(framework), "-c", SCRIPT, framework, *words]
        result = desk.run(command, cwd=desk.folder.worker, env=environment)
        assert result.returncode == 0, result.stderr[-2000:]
        (work,) = [event.data for event in desk.events if event.kind == "work"]
    assert work["parameters"] == 268_298
