"""Whether an image that is here holds what its labels and its lock promise, asked of the image itself."""

from __future__ import annotations

import json
from collections.abc import Iterator

import docker
from docker.errors import ContainerError
from docker.models.images import Image

from harness.environments import images, pins, probe, sandbox
from harness.environments.bases import choose_base
from harness.environments.frameworks import Framework
from harness.environments.recipe import Recipe, read_recipe

BILL = "/opt/joulemark/bom.cdx.json"
CHECK = "import tomllib; exec(tomllib.load(open('/opt/joulemark/manifest.toml', 'rb'))['check'], {{'device': {!r}}})"
PRINT_BILL = f"print(open('{BILL}').read())"


def problems(client: docker.DockerClient, framework: Framework, version: str, device: str) -> Iterator[str]:
    """One line for each; nothing where the image is sound."""
    recipe = read_recipe(framework, version, device, *choose_base(client))
    image = images.find(client, recipe)
    if image is None:
        yield f"{recipe.tag} is not built: suite images build {framework.name}@{version}"
        return
    if changed := images.differences(image, recipe):
        yield f"{recipe.tag} differs from the checkout in: {', '.join(changed)}"
    yield from _inside(client, image, recipe)


def _inside(client: docker.DockerClient, image: Image, recipe: Recipe) -> Iterator[str]:
    try:
        installed = json.loads(run(client, image, probe.SOURCE))["packages"]
        run(client, image, CHECK.format(recipe.device))
    except ContainerError as error:
        said = error.stderr.decode(errors="replace") if isinstance(error.stderr, bytes) else str(error.stderr)
        yield f"{recipe.tag} fails its check: {(said.strip().splitlines() or ['no message'])[-1]}"
        return
    wanted = pins.pinned(recipe.lock, pins.PYTHONS[0])
    if wrong := sorted(name for name, version in wanted.items() if installed.get(name) != version):
        yield f"{recipe.tag} does not hold what its lock says: {', '.join(wrong)}"
    if more := sorted(set(installed) - set(wanted)):
        yield f"{recipe.tag} holds what its lock does not say: {', '.join(more)}"


def run(client: docker.DockerClient, image: Image, source: str) -> str:
    """What Python source prints inside, under the isolation of every run. Raises: ContainerError."""
    uid, _, gid = image.attrs["Config"]["User"].partition(":")
    output: bytes = client.containers.run(
        str(image.id),
        ["-I", "-c", source],
        entrypoint="python",
        remove=True,
        stderr=False,
        **sandbox.sandbox((int(uid), int(gid))),
    )
    return output.decode()
