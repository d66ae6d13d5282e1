"""suite images, as a user types it, on a framework that is built in seconds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.cli import images as images_command
from harness.environments.frameworks import Framework
from tests.harness.cli.conftest import Answer
from tests.harness.environments.tiny_image import TINY, images_of, make_tiny, remove_images

pytestmark = pytest.mark.engine
Suite = Callable[..., Answer]


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Framework]:
    monkeypatch.setenv("JOULEMARK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    one = make_tiny(tmp_path / f"{TINY}-cli")
    monkeypatch.setattr(images_command, "frameworks", lambda: {one.name: one})
    monkeypatch.setattr("harness.environments.frameworks.frameworks", lambda: {one.name: one})
    yield one
    remove_images(one.name)


def test_an_image_is_built_listed_verified_and_removed(suite: Suite, tiny: Framework) -> None:
    tag = f"joulemark/{tiny.name}:1.0-cpu"
    assert "not built" in suite("images", "list").out
    missing = suite("images", "verify")
    assert (missing.code, "is not built" in missing.out) == (1, True)

    built = suite("images", "build", f"{tiny.name}@1.0")
    assert built.code == 0
    assert f"{tag} is up to date" in built.out
    assert len(images_of(tiny.name)) == 1
    assert "up to date" in suite("images", "list").out
    assert suite("images", "verify").code == 0
    assert (
        "every image holds what the checkout, its lock and its base say"
        in suite("images", "verify", tiny.name).out
    )

    bill = json.loads(suite("images", "bom", tiny.name).out)
    assert bill["bomFormat"] == "CycloneDX"
    assert ("joulemark-tiny", "1.0") in {(one["name"], one["version"]) for one in bill["components"]}


def test_only_what_does_not_fit_is_pruned(
    suite: Suite, tiny: Framework, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert suite("images", "build").code == 0
    monkeypatch.setattr("harness.environments.images.prune", lambda client, keep: kept.append(keep) or [])
    kept: list[set[str]] = []
    assert suite("images", "prune").err == ""
    suite("images", "prune", "--all")
    assert kept == [{f"joulemark/{tiny.name}:1.0-cpu"}, set()]


def test_a_version_that_is_not_offered_lists_those_that_are(
    refused: Callable[..., str], tiny: Framework
) -> None:
    assert "(known: 1.0)" in refused("images", "build", f"{tiny.name}@9.9")
    assert "is not built" in refused("images", "bom", tiny.name)


def test_a_lock_that_is_resolved_anew_shows_its_difference(
    suite: Suite, tiny: Framework, monkeypatch: pytest.MonkeyPatch
) -> None:
    differences = ["-numpy==1\n+numpy==2\n", ""]
    monkeypatch.setattr(images_command, "relock", lambda one, version, device: differences.pop(0))
    assert "-numpy==1\n+numpy==2\n" in suite("images", "lock", tiny.name).out
    assert "as it was" in suite("images", "lock", f"{tiny.name}@1.0").out


def test_without_an_engine_there_is_one_line_with_the_remedy(
    refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
    for words in (["list"], ["build"], ["verify"], ["prune"]):
        assert "no Docker engine answers; start one" in refused("images", *words)
