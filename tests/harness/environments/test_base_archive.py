"""The base of Apptainer's images: what it is called, and that an archive of it is recognised as what Docker has."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.environments import bases
from harness.environments.base_archive import ARCHIVE_VARIABLE, ArchivedBase, choose_archive
from harness.environments.packing import packed
from harness.environments.recipe import public_base
from harness.errors import MissingPrerequisite

LAYERS, VARIABLES = ["sha256:aa", "sha256:bb"], ["LANG=C.UTF-8"]


def saved(path: Path, **changed: Any) -> Path:
    """What `docker save` writes, without the layers, which nobody here reads."""
    manifest = [{"Config": "blobs/sha256/c", "RepoTags": ["joulemark/base:bookworm"], "Layers": []} | changed]
    config = {"rootfs": {"diff_ids": LAYERS}, "config": {"Env": VARIABLES}}
    files = {"blobs/sha256/c": json.dumps(config).encode(), "manifest.json": json.dumps(manifest).encode()}
    path.write_bytes(packed(files).getvalue())
    return path


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(ARCHIVE_VARIABLE, str(tmp_path / "saved.tar"))
    return tmp_path / "saved.tar"


def test_without_an_archive_it_is_the_pinned_public_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ARCHIVE_VARIABLE, raising=False)
    digest = public_base().partition("@")[2]
    assert choose_archive() == ArchivedBase("docker", f"python@{digest}", public_base(), digest)


def test_an_archive_is_the_same_base_as_the_image_that_was_saved(named: Path) -> None:
    saved(named)
    image: Any = SimpleNamespace(attrs={"RootFS": {"Layers": LAYERS}, "Config": {"Env": VARIABLES}})
    identity = bases.identity(image)
    assert choose_archive() == ArchivedBase(
        "docker-archive", "base.tar", "joulemark/base:bookworm", identity, named
    )


@pytest.mark.parametrize(
    "changed", [{"Config": "elsewhere"}, {"Config": 1}, {"RepoTags": 3}, {"RepoTags": ["a\n%post"]}]
)
def test_another_file_is_refused_with_the_way_to_a_right_one(named: Path, changed: dict[str, Any]) -> None:
    saved(named, **changed)
    with pytest.raises(
        MissingPrerequisite, match=r"is no archive of one image .* docker save joulemark/base"
    ):
        choose_archive()


@pytest.mark.parametrize("content", [b"", b"text", b"\x1f\x8b"])
def test_what_is_no_archive_is_refused(named: Path, content: bytes) -> None:
    named.write_bytes(content)
    with pytest.raises(MissingPrerequisite, match="is no archive of one image"):
        choose_archive()
