"""An image that does not hold what it promises is found out."""

from __future__ import annotations

from dataclasses import replace

import docker
import pytest

from harness.environments import audit
from harness.environments.frameworks import Framework
from harness.environments.images import ensure_image
from tests.harness.environments.tiny_image import TINY

pytestmark = pytest.mark.engine


def problems(engine: docker.DockerClient, framework: Framework) -> list[str]:
    return list(audit.problems(engine, framework, "1.0", "cpu"))


def test_a_sound_image_has_no_problem(engine: docker.DockerClient, tiny: Framework) -> None:
    ensure_image(engine, tiny, "1.0")
    assert problems(engine, tiny) == []


def test_an_image_that_is_not_there_names_the_remedy(engine: docker.DockerClient, tiny: Framework) -> None:
    (found,) = problems(engine, replace(tiny, name=f"{TINY}-absent", folder=tiny.folder))
    assert "suite images build" in found


def test_a_changed_check_shows(engine: docker.DockerClient, tiny: Framework) -> None:
    ensure_image(engine, tiny, "1.0")
    assert problems(engine, replace(tiny, check=tiny.check + "\n")) == [
        f"joulemark/{TINY}:1.0-cpu differs from the checkout in: recipe"
    ]


def test_packages_beside_the_lock_show(engine: docker.DockerClient, tiny: Framework) -> None:
    """An image that somebody changed by hand under the same labels."""
    image = ensure_image(engine, tiny, "1.0")
    add = (
        "import pathlib; d = pathlib.Path('/opt/venv/lib/python3.11/site-packages/more-1.0.dist-info'); d.mkdir();"
        "(d / 'METADATA').write_text('Metadata-Version: 2.1\\nName: more\\nVersion: 1.0\\n')"
    )
    container = engine.containers.create(str(image.id), ["-c", add], entrypoint="python", user="0:0")
    try:
        container.start()
        container.wait()
        user, entry = "USER 10001:10001", 'ENTRYPOINT ["python", "-m", "suite.run"]'
        container.commit(f"joulemark/{TINY}", "1.0-cpu", changes=[user, entry])
        assert problems(engine, tiny) == [f"joulemark/{TINY}:1.0-cpu holds what its lock does not say: more"]
    finally:
        container.remove(force=True)
        engine.images.remove(f"joulemark/{TINY}:1.0-cpu", force=True)
