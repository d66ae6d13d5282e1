"""Once `train` or `infer` has returned, no framework's threads use a CPU: what came after would be nobody's work."""

import json
import os
import statistics
import subprocess

import pytest

from harness import paths
from harness.inventory import catalog

FRAMEWORKS = catalog.workload("mnist_mlp").frameworks
REST_S, ALLOWED_S = (
    0.2,
    0.002,
)  # threads that turn in circles use 9 ms a call, and more the more of them there are

pytestmark = pytest.mark.frameworks

USED = """
import importlib, json, sys, time
import numpy as np
from suite.mnist_mlp.spec import SPEC
from suite.runtimes import implementation_module, runtime_module
framework, rest_s = sys.argv[1], float(sys.argv[2])
runtime = importlib.import_module(runtime_module(framework))
runtime.configure(2, "cpu")
one = importlib.import_module(implementation_module("mnist_mlp", framework)).Impl(
    SPEC, SPEC.initial_weights(1), "float32", "cpu")
samples = 8 * SPEC.batch_size
data = one.place(SPEC.inputs(SPEC.examples(samples, 1), "float32"))
one.compile(data, "infer")
one.compile(data, "train")
order, rows = SPEC.batch_order(samples, 1, 1), np.arange(samples)

def used_s(call):
    call()
    begin_s = time.process_time()
    time.sleep(rest_s)
    return time.process_time() - begin_s

calls = {"train": lambda: one.train(data, order), "infer": lambda: one.infer(data, rows)}
found = {name: [used_s(call) for _ in range(6)][1:] for name, call in calls.items()}
print(json.dumps({**found, "waiting": runtime.facts()["waiting"]}))
"""


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_nobody_computes_after_a_call_has_returned(framework_python, framework):
    words = [framework_python(framework), "-c", USED, framework, str(REST_S)]
    environment = {**os.environ, "PYTHONPATH": str(paths.ROOT)}
    told = subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout
    found = json.loads(told)
    waiting = found.pop("waiting")
    assert (waiting["OMP_WAIT_POLICY"], waiting["GOMP_SPINCOUNT"]) == ("passive", "2000")
    assert {name: s for name, spent in found.items() if (s := statistics.median(spent)) > ALLOWED_S} == {}
