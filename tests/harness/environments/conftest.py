"""What the tests of the environments share: an image small enough to build in seconds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.environments.frameworks import Framework
from tests.harness.environments.tiny_image import TINY, make_tiny, remove_images


@pytest.fixture(scope="session")
def tiny_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Wheels and logs of the tiny framework; the images built from it go with the session."""
    yield tmp_path_factory.mktemp("tiny") / "home"
    remove_images(TINY)


@pytest.fixture
def tiny(tiny_home: Path, monkeypatch: pytest.MonkeyPatch) -> Framework:
    """A framework of one pure wheel, made here and found without any index; its image stays for the session."""
    monkeypatch.setenv("JOULEMARK_HOME", str(tiny_home))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    return make_tiny(tiny_home.parent / TINY)
