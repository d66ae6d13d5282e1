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
from harness.inventory import catalog
from tests.homes import link_environments

WORKLOADS = {name: one for name, one in catalog.workloads().items() if provable(name)}
BACKENDS = ("keras-jax", "keras-torch")  # of Keras, whose code is that of `keras` but for a few lines
DEFAULTS = sorted({name for one in WORKLOADS.values() for name in one.frameworks} - set(BACKENDS))
LIMIT_S = 2700


def certificate(folder: Path, workloads: Collection[str]) -> Path:
    """Of workloads in the frameworks that `--all` takes. Who comes first makes it in `folder`, the others wait."""
    home, told = folder / "proven", folder / "proven.txt"
    with FileLock(f"{home}.lock"):
        if not told.exists():
            link_environments(home)
            told.write_text("".join(verified(home, *asked) for asked in by_frameworks(workloads)))
    assert (home / CERTIFICATE_FILE).exists(), told.read_text()
    return home / CERTIFICATE_FILE


def by_frameworks(workloads: Collection[str]) -> list[tuple[list[str], list[str]]]:
    """Workloads together that have implementations for the same frameworks."""
    found: dict[tuple[str, ...], list[str]] = {}
    for name in workloads:
        found.setdefault(tuple(one for one in DEFAULTS if one in WORKLOADS[name].frameworks), []).append(name)
    return [(names, list(frameworks)) for frameworks, names in found.items()]


def verified(home: Path, workloads: Iterable[str], frameworks: Iterable[str]) -> str:
    """What `suite verify` says, which keeps its certificate in `home`; that something differs is for tests to tell."""
    words = ["verify", *workloads, "--profile", "quick", "--environment", "virtualenv"]
    for framework in frameworks:
        words += ["-f", framework]
    done = subprocess.run(
        [sys.executable, "-m", "harness.cli", *words],
        capture_output=True, text=True, env={**os.environ, "JOULEMARK_HOME": str(home)}, timeout=LIMIT_S, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr
