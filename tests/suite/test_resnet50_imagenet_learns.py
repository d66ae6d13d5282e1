"""Every framework learns eight real photographs by heart, from crops that are cut while it trains or before."""

import json
from pathlib import Path

import pytest

from harness.inventory import catalog
from tests.proofs import BACKENDS
from tests.real_sets import photographs

pytestmark = pytest.mark.frameworks

FRAMEWORKS = sorted(set(catalog.workload("resnet50_imagenet").frameworks) - set(BACKENDS))
SMALL = {"depth": 11, "side": 64}
STEPS = 12
LEARNT = 0.5  # of the first loss, of which a fifth would be left with labels smoothed by a tenth

TRAINED = """
import importlib, json, sys
from pathlib import Path
import numpy as np
from suite import data
from suite.resnet50_imagenet.spec import SPEC
from suite.runtimes import implementation_module, runtime_module
out, framework, folder, steps, settings = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
Impl = importlib.import_module(implementation_module("resnet50_imagenet", framework)).Impl
steps, found = int(steps), {}
for kind in ("pipeline", "preloaded"):
    sizes = {"classes": 100, "batch_size": 8, "predict_batch_size": 8, "epochs": steps, "input": kind}
    spec = SPEC.with_dataset("imagenet").with_settings({**sizes, **json.loads(settings)})
    stored = data.load(Path(folder), mapped=spec.mapped).cut(spec)
    eight = {name: array[:8] for name, array in stored.train.items()}
    train, test = spec.of_both(eight, eight, "float32")
    one = Impl(spec, spec.initial_weights(1), "float32", "cpu")
    taught, asked = one.place(train), one.place(spec.without_targets(test))
    one.compile(taught, "train")
    losses = [one.train(taught, spec.order(eight, 1, epoch)).loss for epoch in range(1, steps + 1)]
    scores = one.infer(asked, np.arange(8))
    moved = one._moved(spec.batch(train, spec.order(eight, 1, 1)[0]))["x"]
    found[kind] = {"losses": losses, "pixels": str(moved.dtype), **spec.evaluate(eight, scores)}
with open(out, "w") as file:
    json.dump(found, file)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JOULEMARK_HOME", str(tmp_path_factory.mktemp("home")))
        return photographs()


def assert_learnt(found: dict, apart: float = 1e-4) -> None:
    """`apart`: of the first two losses, which rounding parts sooner the more layers there are."""
    pipeline, preloaded = found["pipeline"], found["preloaded"]
    for told in (pipeline, preloaded):
        assert sum(told["losses"][-4:]) / 4 <= LEARNT * told["losses"][0]
        assert "uint8" in told["pixels"]
    assert preloaded["losses"][:2] == pytest.approx(pipeline["losses"][:2], rel=apart)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_eight_photographs_are_learnt_by_heart(found_by, folder: Path, framework: str) -> None:
    assert_learnt(found_by(TRAINED, framework, framework, folder, str(STEPS), json.dumps(SMALL)))


@pytest.mark.slow
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_50_layers_learn_them_at_their_size(found_by, folder: Path, framework: str) -> None:
    """Crops of 224 pixels, of which a step takes a CPU seconds; the published rate for 256 samples, scaled to 8.

    The second losses of JAX's two inputs were 1.3e-4 apart, the others' less than 1e-4.
    """
    rate = json.dumps({"learning_rate": 0.008})
    assert_learnt(found_by(TRAINED, framework, framework, folder, "20", rate), apart=1e-3)
