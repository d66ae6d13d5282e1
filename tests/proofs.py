"""All implementations, proven once by the program itself in their virtual environments, for every test that asks."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from itertools import product
from pathlib import Path

from filelock import FileLock

from harness.conformance.asked import provable
from harness.conformance.kept_proofs import CERTIFICATE_FILE
from harness.conformance.references import REFERENCE
from harness.conformance.tolerances import EXACT, LONG, OWN
from harness.inventory import catalog
from tests.homes import link_environments
from tests.rotation import dealt, within

WORKLOADS = {name: one for name, one in catalog.workloads().items() if provable(name)}
BACKENDS = ("keras-jax", "keras-torch")  # of Keras, whose code is that of `keras` but for a few lines
DEFAULTS = sorted({name for one in WORKLOADS.values() for name in one.frameworks} - set(BACKENDS))
KINDS = (EXACT, LONG, OWN)
PLACES = [(name, one) for name in WORKLOADS for one in DEFAULTS if one in WORKLOADS[name].frameworks]
# CPU seconds of the proofs in float32 in all frameworks, on two busy cores; those of up to 45, but 36, are reckoned.
IN_FLOAT32_S = {
    "cifar10_cnn": 36, "emotion_rnn": 50, "gnmt": 135, "llm": 141, "malaria_cnn": 46, "mask_rcnn": 180, "mnist_cnn": 30,
    "mnist_mlp": 20, "ncf": 25, "resnet": 35, "resnet50_imagenet": 45, "ssd": 122, "transformer_xl": 169,
}  # fmt: skip
NEW_S = 60
COSTS_S = {name: IN_FLOAT32_S.get(name, NEW_S) for name in WORKLOADS}
EACH_CI_S = 190
# Proven in every kind and framework by every CI; others in float64 alone, in the reference and in the one that this CI
# deals them: XLA compiles for long in float64.
IN_FULL = within(COSTS_S, EACH_CI_S)
BESIDE = dealt(WORKLOADS, [name for name in DEFAULTS if name != REFERENCE])
EACH_CI = {
    (name, one, kind) for (name, one), kind in product(PLACES, KINDS)
    if name in IN_FULL or (kind == EXACT and one in (REFERENCE, BESIDE[name]))
}  # fmt: skip
LIMIT_S = 2700

Wanted = tuple[str, str, str]  # workload, framework, kind
Alike = tuple[tuple[str, ...], tuple[str, ...]]  # frameworks and kinds that several workloads are proven in


def certificate(folder: Path, wanted: Iterable[Wanted]) -> Path:
    """Of what is wanted, for what `--all` takes. Who comes first makes it in `folder`, others wait."""
    home, told = folder / "proven", folder / "proven.txt"
    with FileLock(f"{home}.lock"):
        if not told.exists():
            link_environments(home)
            asked = together(wanted).items()
            told.write_text("".join(verified(home, names, *alike) for alike, names in asked))
    assert (home / CERTIFICATE_FILE).exists(), told.read_text()
    return home / CERTIFICATE_FILE


def together(wanted: Iterable[Wanted]) -> dict[Alike, list[str]]:
    """Of each workload all kinds in all frameworks that are named with it, and with the reference one to compare."""
    of: dict[str, list[Wanted]] = {}
    for one in sorted(wanted):
        of.setdefault(one[0], []).append(one)
    found: dict[Alike, list[str]] = {}
    for name, several in of.items():
        frameworks = {REFERENCE, *(framework for _, framework, _ in several)}
        compared = sorted(frameworks if len(frameworks) > 1 else {REFERENCE, BESIDE[name]})
        kinds = sorted({kind for *_, kind in several})
        found.setdefault((tuple(compared), tuple(kinds)), []).append(name)
    return found


def verified(
    home: Path,
    workloads: Iterable[str],
    frameworks: Iterable[str],
    kinds: Iterable[str] = (),
    profile: str = "quick",
) -> str:
    """What `suite verify` says, which keeps its certificate in `home`; that something differs is for tests to tell."""
    words = ["verify", *workloads, "--profile", profile, "--environment", "virtualenv"]
    for framework in frameworks:
        words += ["-f", framework]
    for kind in kinds:
        words += ["--kind", kind]
    done = subprocess.run(
        [sys.executable, "-m", "harness.cli", *words],
        capture_output=True, text=True, env={**os.environ, "JOULEMARK_HOME": str(home)}, timeout=LIMIT_S, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr
