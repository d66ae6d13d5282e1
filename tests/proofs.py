"""All implementations, proven once by the program itself in their virtual environments, for every test that asks."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Collection, Iterable
from pathlib import Path

from filelock import FileLock

from harness.conformance.asked import provable
from harness.conformance.kept_proofs import CERTIFICATE_FILE
from harness.conformance.tolerances import EXACT, LONG, OWN
from harness.inventory import catalog
from tests.homes import link_environments
from tests.rotation import within

WORKLOADS = {name: one for name, one in catalog.workloads().items() if provable(name)}
BACKENDS = ("keras-jax", "keras-torch")  # of Keras, whose code is that of `keras` but for a few lines
DEFAULTS = sorted({name for one in WORKLOADS.values() for name in one.frameworks} - set(BACKENDS))
KINDS = (EXACT, LONG, OWN)
# CPU seconds of the proofs in float32 in all frameworks, on two busy cores; those of up to 45, but 36, are reckoned.
IN_FLOAT32_S = {
    "cifar10_cnn": 36, "emotion_rnn": 50, "gnmt": 135, "llm": 141, "malaria_cnn": 46, "mask_rcnn": 180, "mnist_cnn": 30,
    "mnist_mlp": 20, "ncf": 25, "resnet": 35, "resnet50_imagenet": 45, "ssd": 122, "transformer_xl": 169,
}  # fmt: skip
NEW_S = 60
COSTS_S = {name: IN_FLOAT32_S.get(name, NEW_S) for name in WORKLOADS}
EACH_CI_S = 190
# Proven in every kind by every CI, others in float64 alone: the rest is three quarters of the time.
IN_FULL = within(COSTS_S, EACH_CI_S)
LIMIT_S = 2700


def certificate(folder: Path, wanted: Iterable[tuple[str, str]]) -> Path:
    """Of workloads, each with a kind, for what `--all` takes. Who comes first makes it in `folder`, others wait."""
    home, told = folder / "proven", folder / "proven.txt"
    with FileLock(f"{home}.lock"):
        if not told.exists():
            link_environments(home)
            asked = [(*names, kinds) for kinds, chosen in by_kinds(wanted) for names in by_frameworks(chosen)]
            told.write_text("".join(verified(home, *one) for one in asked))
    assert (home / CERTIFICATE_FILE).exists(), told.read_text()
    return home / CERTIFICATE_FILE


def by_kinds(wanted: Iterable[tuple[str, str]]) -> list[tuple[list[str], list[str]]]:
    """Kinds, and the workloads that are proven in just these."""
    kinds: dict[str, list[str]] = {}
    for name, kind in sorted(wanted):
        kinds.setdefault(name, []).append(kind)
    found: dict[tuple[str, ...], list[str]] = {}
    for name, several in kinds.items():
        found.setdefault(tuple(several), []).append(name)
    return [(list(several), names) for several, names in found.items()]


def by_frameworks(workloads: Collection[str]) -> list[tuple[list[str], list[str]]]:
    """Workloads together that have implementations for the same frameworks."""
    found: dict[tuple[str, ...], list[str]] = {}
    for name in workloads:
        found.setdefault(tuple(one for one in DEFAULTS if one in WORKLOADS[name].frameworks), []).append(name)
    return [(names, list(frameworks)) for frameworks, names in found.items()]


def verified(
    home: Path, workloads: Iterable[str], frameworks: Iterable[str], kinds: Iterable[str] = ()
) -> str:
    """What `suite verify` says, which keeps its certificate in `home`; that something differs is for tests to tell."""
    words = ["verify", *workloads, "--profile", "quick", "--environment", "virtualenv"]
    for framework in frameworks:
        words += ["-f", framework]
    for kind in kinds:
        words += ["--kind", kind]
    done = subprocess.run(
        [sys.executable, "-m", "harness.cli", *words],
        capture_output=True, text=True, env={**os.environ, "JOULEMARK_HOME": str(home)}, timeout=LIMIT_S, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr
