"""Nothing is traced or compiled once it is measured; and compiling changes neither weights nor what is learnt after it.

Epochs of 35 steps are one chunk of what Keras takes at once and a rest; the last batch of answers is a smaller one.
"""

import shutil

import pytest

from harness.inventory import catalog
from suite.neural import NeuralSpec

MODES = {"jax": "scan", "tensorflow": "graph", "keras": "graph", "keras-jax": "jit", "keras-torch": "eager"}
OTHER_MODES = {"jax": "jit", "tensorflow": "xla", "keras": "xla"}
# Gathered on the device; with dropout; premade by the host, with a rate for each step and states that are carried.
WORKLOADS = ("mnist_mlp", "ncf", "cipher")
PRELOADED = "resnet50_imagenet preloaded"  # else it is fed by the host
OF_IMAGES = ("resnet50_imagenet", PRELOADED, "ssd")
SLOW = [pytest.param(*one, marks=pytest.mark.slow) for one in OTHER_MODES.items()]
STEPS, PASSES = 35, 2

pytestmark = pytest.mark.frameworks

SCRIPT = """
import importlib, json, os, sys, tempfile
from pathlib import Path
dumped = tempfile.TemporaryDirectory()
os.environ["XLA_FLAGS"] = f"--xla_dump_to={dumped.name} --xla_dump_hlo_as_text"
import numpy as np
from suite import verify
from suite.runtimes import runtime_module
out, framework, mode, steps, passes, *workloads = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
traced = []
if framework in ("tensorflow", "keras"):
    from tensorflow.python.eager.polymorphic_function import tracing_compilation
    trace = tracing_compilation._create_concrete_function

    def listed(kind, context, graph, config, *more, **options):
        traced.append(config.name)
        return trace(kind, context, graph, config, *more, **options)

    tracing_compilation._create_concrete_function = listed
if framework == "torch":
    from torch._dynamo import utils as dynamo

def compiled():
    "By name, every function that was traced, every module that XLA was given, every graph of torch.compile."
    graphs = dynamo.counters["stats"]["unique_graphs"] if framework == "torch" else 0
    modules = sorted(path.name for path in Path(dumped.name).glob("*before_optimizations.txt"))
    return [*traced, *modules, *(f"graph {number}" for number in range(graphs))]

def new(workload):
    workload, _, fed = workload.partition(" ")
    where = "tests.toys.cipher" if workload == "cipher" else f"suite.{workload}"
    spec = verify.as_proven(importlib.import_module(f"{where}.spec").SPEC, verify.KINDS["long"])
    spec = spec.with_settings({"input": fed} if fed else {})
    chosen = "jit" if framework == "jax" and spec.premade and mode != "default" else mode
    spec = spec.with_settings({"mode": chosen}).lasting(int(passes), int(steps))
    impl = importlib.import_module(f"{where}.{framework.partition('-')[0]}_impl").Impl
    tested, taught = verify._answered(spec), int(steps) * spec.batch_size
    raw = spec.examples(max(tested, taught), 1)
    if workload == "cipher":  # no shape but one: it has nothing that compiles others ahead
        raw = {name: np.maximum(array, 1) for name, array in raw.items()}
    data, first = spec.inputs(raw, "float32"), {name: array[:taught] for name, array in raw.items()}
    one = impl(spec, spec.initial_weights(1), "float32", "cpu")
    asked = one.place(spec.without_targets({name: array[:tested] for name, array in data.items()}))
    orders = [spec.order(first, 1, number) for number in range(1, int(passes) + 1)]
    return one, one.place({name: array[:taught] for name, array in data.items()}), asked, orders, tested

def measured(one, taught, asked, orders, tested):
    for number, order in enumerate(orders, 1):
        one.train(taught, order)
        one.infer(asked, one.spec.pass_order(tested, 1, number), one.spec.evaluated_by)

def parted(one, other):
    return [name for name, array in one.items() if not np.array_equal(array, other[name])]

def of(workload):
    one, taught, asked, *rest = new(workload)
    begun = {name: array.copy() for name, array in one.params().items()}
    one.compile(asked, one.spec.evaluated_by)
    one.compile(taught, "train")
    changed, before = parted(one.params(), begun), len(compiled())
    measured(one, taught, asked, *rest)
    late, other = compiled()[before:], new(workload)
    if framework == "jax":  # whose epoch is made by compiling it
        other[0].compile(other[1], "train")
    measured(*other)
    found = {"changed": changed, "late": late, "otherwise": parted(one.params(), other[0].params())}
    return {**found, "learnt": bool(parted(one.params(), begun))}

with open(out, "w") as file:
    json.dump({workload: of(workload) for workload in workloads}, file)
"""


@pytest.fixture(scope="module")
def found(found_by):
    """A function (framework, mode, workloads) -> what each workload changed, compiled late, and learnt otherwise."""

    def find(framework, mode, workloads):
        return found_by(SCRIPT, framework, framework, mode, str(STEPS), str(PASSES), *workloads)

    return find


@pytest.mark.parametrize(("framework", "mode"), [*MODES.items(), *SLOW])
def test_what_is_measured_compiles_nothing(found, framework, mode):
    nothing = {"changed": [], "late": [], "otherwise": [], "learnt": True}
    assert found(framework, mode, WORKLOADS) == dict.fromkeys(WORKLOADS, nothing)


@pytest.mark.slow
@pytest.mark.timeout(3600)  # what the others compile takes XLA minutes
@pytest.mark.parametrize("framework", MODES)
def test_nor_does_any_other_workload(found, framework):
    others = [name for name, one in catalog.workloads().items() if isinstance(one.spec, NeuralSpec)]
    found_late = found(framework, "default", [*others, PRELOADED])
    assert {name: one["late"] for name, one in found_late.items() if one["late"]} == {}


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.skipif(not shutil.which("c++"), reason="torch.compile needs a C++ compiler")
@pytest.mark.parametrize("workload", OF_IMAGES)
def test_nor_does_torch_compile_once_it_is_measured(found, workload):
    found_late = found("torch", "compile", [workload])
    assert {name: one["late"] for name, one in found_late.items()} == {workload: []}
