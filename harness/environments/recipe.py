"""All that decides what is inside an image, read once: what is built is what the labels say."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness import paths
from harness.environments.frameworks import Framework
from harness.environments.packing import packed

LABEL = "org.joulemark."
DOCKERFILE = paths.IMAGES / "Dockerfile"
DOCKERFILE_IN_CONTEXT = "images/Dockerfile"
BILL_IN_CONTEXT = "images/bom.py"


@dataclass(frozen=True)
class Recipe:
    """`labels` carry a hash of each ingredient, `files` the build context: name -> content, as in the checkout."""

    framework: str
    title: str
    version: str
    device: str
    base: str  # reference of the base image
    lock: Path
    labels: Mapping[str, str]
    files: Mapping[str, bytes]

    @property
    def tag(self) -> str:
        return f"joulemark/{self.framework}:{self.version}-{self.device}"

    @property
    def arguments(self) -> dict[str, str]:
        """The arguments of the Dockerfile, which writes the labels: LOCK_SHA256 is lock-sha256."""
        named = {name.removeprefix(LABEL): value for name, value in self.labels.items()}
        arguments = {name.upper().replace("-", "_"): value for name, value in named.items()}
        return {**arguments, "FRAMEWORK": self.framework}

    def context(self) -> io.BytesIO:
        """The files as a tar."""
        return packed(self.files)


def public_base() -> str:
    """The base that the recipe names, pinned by digest."""
    found = re.search(r"^ARG BASE=(\S+)$", DOCKERFILE.read_text(), re.MULTILINE)
    assert found is not None
    return found.group(1)


def read_recipe(framework: Framework, version: str, device: str, base: str, base_digest: str) -> Recipe:
    """`base_digest` is the same as long as the base's content is, whatever its name and its making.

    Raises: MissingPrerequisite if there is no lock for the device.
    """
    lock = framework.lock(version, device)
    folder = f"images/{framework.name}"
    sources = {
        DOCKERFILE_IN_CONTEXT: DOCKERFILE,
        BILL_IN_CONTEXT: paths.IMAGES / "bom.py",
        f"{folder}/{lock.name}": lock,
        f"{folder}/manifest.toml": framework.folder / "manifest.toml",
        **{f"suite/{path.relative_to(paths.SUITE)}": path for path in suite_files(paths.SUITE)},
    }
    files = {name: path.read_bytes() for name, path in sources.items()}
    ingredients = {
        "version": version,
        "device": device,
        "lock-sha256": hashlib.sha256(files[f"{folder}/{lock.name}"]).hexdigest(),
        "suite-sha256": suite_sha256(),
        "recipe-sha256": sha256_of(
            {
                "": files[DOCKERFILE_IN_CONTEXT],
                "bom": files[BILL_IN_CONTEXT],
                "check": framework.check.encode(),
                "compiler": " ".join(framework.modes_needing_compiler).encode(),
            }
        ),
        "base": base,
        "base-digest": base_digest,
    }
    labels = {LABEL + name: value for name, value in ingredients.items()}
    title = f"{framework.title} {version} ({device})"
    return Recipe(framework.name, title, version, device, base, lock, labels, files)


def suite_sha256() -> str:
    """Of all sources of the suite, as the images' labels carry it."""
    return sha256_of(
        {f"suite/{path.relative_to(paths.SUITE)}": path.read_bytes() for path in suite_files(paths.SUITE)}
    )


def suite_files(folder: Path) -> list[Path]:
    """The sources of the suite, without what Python and editors leave beside them."""

    def counts(path: Path) -> bool:
        parts = path.relative_to(folder).parts
        return path.is_file() and not any(part.startswith(("__pycache__", ".")) for part in parts)

    return sorted(path for path in folder.rglob("*") if counts(path))


def sha256_of(files: Mapping[str, bytes]) -> str:
    """One hash over names and contents."""
    digest = hashlib.sha256()
    for name, content in sorted(files.items()):
        digest.update(f"{name}\0{hashlib.sha256(content).hexdigest()}\n".encode())
    return digest.hexdigest()
