"""Weights of a published file in real runs: they compute what the file means in PyTorch, in every framework alike."""

import json
import os
from contextlib import closing
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from harness.campaign import pretrained_states
from harness.inventory import specs
from harness.inventory.beginning import beginning
from harness.planning import plan, planner
from harness.records import Treatment
from suite.mask_rcnn.spec import SPEC as MASK_RCNN
from suite.protocol import Request
from suite.ssd.spec import SPEC as SSD
from tests.desk import Desk
from tests.public_resnet import BLOCKS, state
from tests.tensor_files import write

pytestmark = pytest.mark.frameworks
ROOT = Path(__file__).parents[3]
CLASSES, DEPTH, SEED, TRAINED, TESTED = 16, 11, 7, 24, 10
SETTINGS = {"depth": DEPTH, "batch_size": 8, "predict_batch_size": 8, "learning_rate": 0.001}
PUBLIC = state(DEPTH, CLASSES, seed=1)

MEANT = """
import json, sys
import numpy as np, torch
from suite.fingerprint import of_outputs
from suite.resnet50_imagenet.spec import SPEC
from tests.suite.residual.public_torch import loaded
out, file, folder, blocks, seed, batch = sys.argv[1:]
network = loaded(dict(np.load(file)), json.loads(blocks), 16)
spec = SPEC.with_dataset("synthetic-imagenet").with_settings({"batch_size": int(batch)})
train, test = ({name: np.load(f"{folder}/{split}_{name}.npy") for name in "xy"} for split in ("train", "test"))
with torch.no_grad():
    scores = network(torch.from_numpy(spec.batch(test, np.arange(len(test["y"])))["x"])).numpy()
    network.train()
    first = spec.batch(train, spec.order(train, int(seed), 1)[0])
    answers = network(torch.from_numpy(first["x"]))
    loss = torch.nn.functional.cross_entropy(answers, torch.from_numpy(first["y"]), label_smoothing=spec.smoothing)
with open(out, "w") as told:
    json.dump({"loss": loss.item(), "answers": of_outputs({"scores": scores}, test["y"])}, told)
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Records as of a data set: images of noise, brighter by class."""
    folder, generator = tmp_path_factory.mktemp("data"), np.random.default_rng(1)
    for split, count in (("train", TRAINED), ("test", TESTED)):
        classes = generator.integers(0, CLASSES, count)
        images = generator.integers(0, 128, (count, 36, 36, 3)) + 8 * classes[:, None, None, None]
        np.save(folder / f"{split}_x.npy", images.astype(np.uint8))
        np.save(folder / f"{split}_y.npy", classes)
    return folder


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """Settings that name the published file, and the state that a campaign makes of it."""
    folder = tmp_path_factory.mktemp("weights")
    sha256 = write(folder / "published.safetensors", PUBLIC)
    settings = {**SETTINGS, "pretrained": sha256}
    kind = {"workload": "resnet50_imagenet", "framework": "torch", "version": "", "stage": "train"}
    treatment = Treatment(**kind, dataset="synthetic-imagenet", settings=settings)
    made = plan.make("own", planner.protocol("quick"), [treatment], (), SEED)
    pretrained_states.write(folder, made, {sha256: folder / "published.safetensors"})
    return settings, folder / f"{specs.starting_state(treatment)}.npz"


@pytest.fixture(scope="module")
def meant(found_by, data, tmp_path_factory):
    """The first loss and the answers, as PyTorch has them of the published names."""
    np.savez(file := tmp_path_factory.mktemp("public") / "file.npz", **PUBLIC)
    return found_by(
        MEANT, "torch", file, data, str(list(BLOCKS[DEPTH])), str(SEED), str(SETTINGS["batch_size"])
    )


@pytest.fixture(scope="module")
def ran(framework_python, data, given, tmp_path_factory):
    """A function (framework, stage) -> the fingerprints of a run from these weights, as `suite run` makes it."""

    @cache
    def run(framework, stage):
        settings, weights = given
        asked = Request(
            "r", "resnet50_imagenet", framework, stage, "synthetic-imagenet", SEED, settings=settings
        )
        with closing(Desk(tmp_path_factory.mktemp(f"{framework}-{stage}") / "r", asked)) as desk:
            desk.folder.lease.go()
            desk.folder.lease.bye()
            words = desk.folder.request, desk.folder.worker, data, weights
            environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
            command = [framework_python(framework), "-m", "suite.run", *words]
            ended = desk.run(command, cwd=desk.folder.worker, env=environment)
            told = [event.data for event in desk.events if event.kind == "fingerprint"]
        assert ended.returncode == 0, ended.stderr[-2000:]
        return {name: value for one in told for name, value in one.items()}

    return run


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_the_first_loss_of_a_training_is_that_of_the_published_network(ran, meant, framework):
    (epoch,) = ran(framework, "train")["epochs"]
    assert epoch["first_losses"][0] == pytest.approx(meant["loss"], rel=1e-5)


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_inference_answers_as_the_published_network_does_without_any_training(ran, meant, framework):
    answers = ran(framework, "infer")["answers"]
    assert answers == pytest.approx(meant["answers"], rel=1e-4)


def test_fingerprints_of_both_frameworks_agree(ran):
    (one,), (other,) = (ran(framework, "train")["epochs"] for framework in ("torch", "jax"))
    assert one["rows"] == other["rows"]
    assert one["first_losses"] == pytest.approx(other["first_losses"], rel=2e-3)
    assert ran("torch", "infer")["answers"] == pytest.approx(ran("jax", "infer")["answers"], rel=1e-4)


BACKBONE = """
import importlib, json, sys
import numpy as np, torch
from suite.residual.layers import stages
from suite.residual.torch_residual import pooled, relu
from tests.suite.residual.public_torch import loaded
out, workload, settings, weights, file, narrowing = sys.argv[1:]
spec = importlib.import_module(f"suite.{workload}.spec").SPEC.with_settings(json.loads(settings))
net = importlib.import_module(f"suite.{workload}.torch_impl").Impl(spec, dict(np.load(weights)), "float64", "cpu").net
layer = net.eval()._residual if workload == "mask_rcnn" else net.eval().layer
images = torch.from_numpy(np.random.default_rng(2).integers(0, 256, (2, 64, 64, 3), np.uint8))
strides = (1, 2, 1, 1) if workload == "ssd" else (1, 2, 2, 2)
published = loaded(dict(np.load(file)), (1, 1, 1, 1), 1000, narrowing=int(narrowing), strides=strides)
with torch.no_grad():
    ours = stages(net.standardised(images.movedim(-1, 1)), spec.blocks, layer, relu, pooled)
    theirs = published.features(images)
    apart = [((one - other).abs().max() / other.abs().max()).item() for one, other in zip(ours, theirs)]
with open(out, "w") as told:
    json.dump(apart, told)
"""


@pytest.mark.parametrize(
    ("spec", "narrowing", "stages"),
    [
        (SSD.with_settings({"depth": 14, "most_side": 64, "channels": 16}), 1, 3),
        (MASK_RCNN.with_settings({**MASK_RCNN.proof_settings, "narrowing": 4}), 4, 4),
    ],
    ids=["ssd", "mask_rcnn"],
)
def test_a_detector_sees_the_features_of_the_published_network(found_by, tmp_path, spec, narrowing, stages):
    """To float64's last digits: frozen or not, its normalisation is the file's."""
    published = state(14, narrowing=narrowing, seed=3)
    np.savez(file := tmp_path / "public.npz", **published)
    np.savez(weights := tmp_path / "ours.npz", **beginning(spec, SEED, published).weights)
    settings = {name: value for name, value in vars(spec).items() if name in type(spec).__dataclass_fields__}
    settings = json.dumps({name: value for name, value in settings.items() if name != "dataset"})
    apart = found_by(BACKBONE, "torch", spec.name, settings, weights, file, str(narrowing))
    assert len(apart) == stages
    assert max(apart) < 1e-12
