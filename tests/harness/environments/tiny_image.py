"""A framework of one pure wheel, made on the spot: its image is built in seconds and needs no index."""

from __future__ import annotations

import base64
import hashlib
import os
import zipfile
from contextlib import closing
from pathlib import Path

import docker

from harness import paths
from harness.environments.docker import available
from harness.environments.frameworks import Framework
from harness.environments.recipe import LABEL

TINY = f"tiny-test-{os.getpid()}"  # sessions on one engine do not meet
WHEEL = "joulemark_tiny-1.0-py3-none-any.whl"
TINY_CHECK = 'import joulemark_tiny; assert joulemark_tiny.ANSWER == 42, "not the answer"'


def make_tiny(folder: Path, check: str = TINY_CHECK, more: str = "") -> Framework:
    """`more`: lines of its manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    digest = make_wheel(paths.wheels_home() / WHEEL)
    (folder / "1.0-cpu.lock").write_text(f"joulemark-tiny==1.0 \\\n    --hash=sha256:{digest}\n")
    (folder / "manifest.toml").write_text(f"check = '''\n{check}\n'''\n{more}")
    return Framework(folder.name, "Tiny", "joulemark-tiny", ("1.0",), "tiny", check, folder)


def make_wheel(path: Path) -> str:
    """Writes a wheel of one module; its sha256."""
    info = "joulemark_tiny-1.0.dist-info"
    files = {
        "joulemark_tiny.py": "ANSWER = 42\n",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: joulemark-tiny\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},sha256={_record_hash(text)},{len(text)}\n" for name, text in files.items())
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in {**files, f"{info}/RECORD": f"{record}{info}/RECORD,,\n"}.items():
            wheel.writestr(zipfile.ZipInfo(name), text)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _record_hash(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


def images_of(name: str) -> list[str]:
    """Ids of all images of a framework: tagged, and what a build left without a tag (not its inner layers)."""
    with closing(docker.from_env()) as client:
        found = client.images.list(filters={"label": f"{LABEL}framework={name}"})
        return [str(image.id) for image in found]


def remove_images(name: str) -> None:
    if available() is None:
        with closing(docker.from_env()) as client:
            for image in images_of(name):
                client.images.remove(image, force=True)
