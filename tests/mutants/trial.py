"""A planted fault goes through what users have: the proof, then a short campaign beside a sound framework."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from harness import paths, store
from harness.analysis.tables import measured, tables
from harness.conformance.tolerances import EXACT, LONG, OWN
from tests.homes import link_environments
from tests.mutants.planted import Mutant

COPIED = ("suite", "harness", "reports", "images", "pyproject.toml")
HOME, PLAN_FILE = "home", "plan.toml"
TIMEOUT_S = 600
PLAN = """
repetitions = {blocks}
sample_period_s = 0.1
baseline_s = 0.0
run_timeout_s = 300.0
expected_run_s = 5.0
[power_model]
idle_w = 10.0
busy_cpu_w = 8.0
[factors]
workload = ["{workload}"]
framework = [{frameworks}]
stage = ["train", "{answers}"]
dataset = ["{dataset}"]
[settings]
{settings}
"""
SETTINGS = {
    "mnist_mlp": ("digits", "epochs = [20]\nbatch_size = [32]\ninfer_passes = [4]"),
    "mnist_cnn": ("digits", "epochs = [2]\nbatch_size = [32]\nlearning_rate = [0.02]\ninfer_passes = [2]"),
    "emotion_rnn": ("synthetic-emotion", "epochs = [2]\nbatch_size = [32]\ninfer_passes = [2]"),
    "resnet": ("synthetic-cifar10", "epochs = [1]\ndepth = [11]\nlearning_rate = [0.01]\ninfer_passes = [2]"),
    "cifar10_cnn": ("synthetic-cifar10", "epochs = [1]\nbatch_size = [32]\ninfer_passes = [2]"),
    "malaria_cnn": ("synthetic-malaria", "epochs = [1]\nbatch_size = [32]\ninfer_passes = [2]"),
    "ncf": ("synthetic-movielens", 'epochs = [2]\nbatch_size = [256]\nlayers = ["64-64-32-16"]\ninfer_passes = [2]'),
    "transformer_xl": ("synthetic-wikitext", """layers = [2]
width = [32]
embedding = [32]
heads = [2]
head_width = [16]
inner = [48]
segment = [16]
memory = [16]
batch_size = [16]
predict_batch_size = [16]
first_cutoff = [300]
second_cutoff = [600]
third_cutoff = [1000]
first_room = [0.5]
second_room = [0.5]
iterations = [60]
evaluate_every = [30]
learning_rate = [0.004]
infer_passes = [2]"""),
    "gnmt": (
        "synthetic-translation",
        "epochs = [1]\nbatch_size = [64]\npredict_batch_size = [64]\ninfer_passes = [2]\nvocabulary = [40]\n"
        "hidden = [16]\nlayers = [2]\nbucket = [13]\nbeam = [2]\nmost_words = [8]\nwarmup_steps = [10]",
    ),
    "llm": ("synthetic-wikitext", """form = ["llama", "gpt2"]
layers = [2]
width = [32]
heads = [4]
kv_heads = [2]
inner = [48]
vocabulary = [1000]
context = [32]
prompt_tokens = [16]
new_tokens = [16]
batch_size = [16]
accumulate = [2]
predict_batch_size = [8]
requests = [16]
iterations = [60]
evaluate_every = [30]
warmup_steps = [10]
learning_rate = [0.004]
infer_passes = [2]"""),
    "resnet50_imagenet": (
        "synthetic-imagenet",
        "epochs = [1]\ndepth = [11]\nlearning_rate = [0.02]\npredict_batch_size = [128]\ninfer_passes = [2]",
    ),
    "ssd": (
        "synthetic-coco_2017_300",
        "epochs = [1]\ndepth = [11]\nchannels = [16]\nlearning_rate = [0.01]\nwarmup_steps = [10]\n"
        "predict_batch_size = [16]\ninfer_passes = [2]",
    ),
    "mask_rcnn": (
        "synthetic-coco_2017_640",
        "depth = [14]\nnarrowing = [4]\nchannels = [32]\nhidden = [64]\nanchor_scale = [4.0]\nusual_side = [64.0]\n"
        "train_candidates = [64]\ncandidates = [64]\nproposals = [32]\nanchors = [32]\nrois = [32]\n"
        "box_candidates = [64]\ndetections = [10]\nwarmup_steps = [10]\niterations = [120]\nevaluate_every = [60]\n"
        "learning_rate = [0.005]\ninfer_passes = [2]",
    ),
    "svm": ("digits", "epochs = [3]\ninfer_passes = [3]"),
    "logistic_regression": ("digits", "epochs = [2]\ninfer_passes = [3]"),
    "random_forest": ("digits", "epochs = [2]\ninfer_passes = [3]"),
}  # fmt: skip


@dataclass(frozen=True)
class Trial:
    """What was said: by the proof, and by the campaign, of which so many of the fault's runs counted."""

    proof: str
    counted: int
    reasons: tuple[str, ...]

    @property
    def found(self) -> bool:
        """Nothing that the framework computed wrongly may stand in a comparison: of one stage, no run counts."""
        return bool(self.proof or self.reasons)


def checkout(folder: Path) -> Path:
    """A copy of what is needed to measure, its `suite` to be altered."""
    folder.mkdir()
    for name in COPIED:
        source = paths.ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    link_environments(folder / HOME)
    return folder


def trial(mutant: Mutant, folder: Path, with_proof: bool = True) -> Trial:
    """Plants the fault in a copy of the checkout in `folder`, which is empty, and tries it."""
    place = checkout(folder / "checkout")
    mutant.plant(place)
    return tried(place, mutant, with_proof)


def tried(place: Path, mutant: Mutant, with_proof: bool) -> Trial:
    (place / PLAN_FILE).write_text(_plan(mutant))
    proof = _proof(place, mutant) if with_proof and mutant.framework != "sklearn" else ""
    if proof:
        return Trial(proof, 0, ())
    out = place / "campaign"
    words = ("--all", "--no-verify", "--profile", PLAN_FILE, "--environment", "virtualenv")
    ended = _suite(place, "run", *words, "-o", out)
    if not (out / store.CAMPAIGN_FILE).exists():
        raise RuntimeError(f"{mutant.name}: no campaign: {ended.stderr[-2000:]}")
    runs = tables(store.load_campaign(out)).runs.query(
        "purpose == 'measure' and framework == @mutant.framework"
    )
    lost = runs[~runs["run_id"].isin(measured(runs)["run_id"])]
    return Trial("", len(measured(runs)), tuple(lost["reason"]))


def _proof(place: Path, mutant: Mutant) -> str:
    """What the proof says of the fault; empty where it finds none.

    Most of a model's show in the kind that costs least, which tells nothing of a training as it is measured.
    """
    if mutant.file.partition("/")[0] in ("", "trainers"):
        return _proof_of(place, mutant, EXACT, LONG, OWN)
    return _proof_of(place, mutant, EXACT) or _proof_of(place, mutant, LONG, OWN)


def _proof_of(place: Path, mutant: Mutant, *kinds: str) -> str:
    """Raises: RuntimeError if it was not made at all."""
    named = [
        "-f",
        mutant.framework,
        "-f",
        _other(mutant),
        *(word for kind in kinds for word in ("--kind", kind)),
    ]
    words = ("--profile", PLAN_FILE, "--environment", "virtualenv")
    ended = _suite(place, "verify", mutant.workload, *named, *words)
    if ended.returncode == 0:
        return ""
    told = (ended.stdout + ended.stderr).splitlines()
    signs = (f"DIFFERS  {mutant.workload} ", f"suite: proof-{mutant.framework}-")
    said = [line for line in told if line.startswith(signs)]
    if not said:
        raise RuntimeError(f"{mutant.name}: no proof: {told[-1:]}")
    return said[-1]


def _other(mutant: Mutant) -> str:
    """A sound framework that does not share the fault's file."""
    return "jax" if mutant.framework == "torch" else "torch"


def _plan(mutant: Mutant) -> str:
    dataset, settings = SETTINGS[mutant.workload]
    alone = mutant.framework == "sklearn"
    names = [mutant.framework] if alone else [_other(mutant), mutant.framework]
    words = ", ".join(f'"{name}"' for name in names)
    return PLAN.format(
        blocks=2 if alone else 1,
        workload=mutant.workload,
        answers="generate" if mutant.workload == "llm" else "infer",
        frameworks=words,
        dataset=dataset,
        settings=settings,
    )


def _suite(place: Path, *words: object) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "JOULEMARK_LOCK": str(place / "lock"), "JOULEMARK_HOME": str(place / HOME)}
    command = [sys.executable, "-m", "harness.cli", *map(str, words)]
    return subprocess.run(
        command, cwd=place, env=variables, capture_output=True, text=True, timeout=TIMEOUT_S
    )
