"""Apptainer images: a folder for each definition, made once by an ordinary user, never altered afterwards.

A folder and not one file: reading that takes a FUSE process, or root, and would be measured with the run.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from harness import paths
from harness.environments import wheels
from harness.environments.apptainer_command import Bind
from harness.environments.base_archive import ArchivedBase, choose_archive
from harness.environments.building import Progress, require_space
from harness.environments.definition import definition
from harness.environments.frameworks import Framework
from harness.environments.recipe import DOCKERFILE_IN_CONTEXT, LABEL, Recipe, read_recipe
from harness.errors import MissingPrerequisite
from harness.files.removing import remove

COMPLETE = "joulemark.def"  # written last: without it the image is half-made
WHEELS_INSIDE = "/mnt"  # while it is built
# One way of being root inside on every machine: all files are the user's own, and can be removed.
BUILDING = ("build", "--userns", "--ignore-subuid", "--ignore-fakeroot-command", "--sandbox")
PASSED_ON = ("PATH", "HOME", "USER", "TMPDIR", "XDG_RUNTIME_DIR", "SSL_CERT_FILE", "SSL_CERT_DIR")
PROXIES = ("http_proxy", "https_proxy", "no_proxy", "all_proxy")
OWN_SETTINGS = (
    "APPTAINER_TMPDIR",
    "APPTAINER_CACHEDIR",
    "APPTAINER_DOCKER_USERNAME",
    "APPTAINER_DOCKER_PASSWORD",
)


@dataclass(frozen=True)
class ApptainerImage:
    """`text` is the definition, with the labels that Docker's image of the same ingredients has."""

    recipe: Recipe
    base: ArchivedBase
    text: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def folder(self) -> Path:
        recipe = self.recipe
        name = f"{recipe.framework}-{recipe.version}-{recipe.device}-apptainer-{self.sha256[:12]}"
        return paths.environments_home() / name

    @property
    def root(self) -> Path:
        return self.folder / "root"

    @property
    def is_there(self) -> bool:
        return (self.folder / COMPLETE).exists()


def described(framework: Framework, version: str, device: str) -> ApptainerImage:
    """The image that the checkout asks for. Raises: MissingPrerequisite without a lock, or for a base that is none."""
    base = choose_archive()
    recipe = read_recipe(framework, version, device, base.reference, base.identity)
    arguments = {**recipe.arguments, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": WHEELS_INSIDE}
    dockerfile = recipe.files[DOCKERFILE_IN_CONTEXT].decode()
    return ApptainerImage(recipe, base, definition(dockerfile, arguments, base.bootstrap, base.source))


def labels(image: ApptainerImage) -> dict[str, str]:
    return {**image.recipe.labels, f"{LABEL}framework": image.recipe.framework}


def build(program: str, image: ApptainerImage, progress: Progress) -> None:
    """Makes the folder anew. Raises: MissingPrerequisite with the failing step's complaint; nothing is left then."""
    recipe = image.recipe
    image.folder.parent.mkdir(parents=True, exist_ok=True)
    require_space(image.folder.parent, recipe)
    progress(f"downloading the wheels of {recipe.title}")
    house = wheels.download(recipe.lock, recipe.title)
    remove(image.folder)
    progress(f"building the Apptainer image of {recipe.title}")
    try:
        image.folder.mkdir()
        _run(program, image, house)
        (image.folder / COMPLETE).write_text(image.text)
    except BaseException:
        remove(image.folder)
        raise


def _run(program: str, image: ApptainerImage, house: Path) -> None:
    recipe = image.recipe
    log = paths.home() / "logs" / f"apptainer-{recipe.framework}-{recipe.version}-{recipe.device}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="joulemark-context-") as context:
        _fill(Path(context), image)
        command = [program, *BUILDING, "--mount", Bind(house, WHEELS_INSIDE).option()]
        with log.open("w") as file:
            ended = subprocess.run(
                [*command, str(image.root), COMPLETE],
                cwd=context, env=_variables(), stdin=subprocess.DEVNULL, stdout=file, stderr=file, check=False,
            )  # fmt: skip
    if ended.returncode:
        reason = complaint(log.read_text(errors="replace"))
        raise MissingPrerequisite(
            f"the Apptainer image of {recipe.title} cannot be built: {reason} (log: {log})"
        )


def _fill(context: Path, image: ApptainerImage) -> None:
    for name, content in {**image.recipe.files, COMPLETE: image.text.encode()}.items():
        place = context / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    if image.base.file:
        (context / image.base.source).symlink_to(image.base.file)


def complaint(output: str) -> str:
    """The first of what went wrong: a step's own word, else Apptainer's."""
    lines = [line.strip() for line in output.splitlines() if line.startswith(("ERROR:", "FATAL:"))]
    return (
        lines[0].partition(":")[2].strip() if lines else (output.strip().splitlines() or ["no message"])[-1]
    )


def _variables() -> dict[str, str]:
    """The user's own way to a registry, and nothing that would reach the steps inside (APPTAINERENV_...)."""
    allowed = {*PASSED_ON, *PROXIES, *map(str.upper, PROXIES), *OWN_SETTINGS}
    return {name: value for name, value in os.environ.items() if name in allowed}
