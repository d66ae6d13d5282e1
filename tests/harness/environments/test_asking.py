"""An image is asked under every run's isolation; one that sets a trap, hangs, lies in form or floods is refused."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator

import docker
import pytest
from docker.models.images import Image

from harness.environments import asking, probe
from harness.environments.asking import UnsoundImage, ask, image_user
from harness.environments.docker import DockerEnvironment
from harness.environments.frameworks import Framework
from harness.environments.images import ensure_image
from harness.errors import MissingPrerequisite

pytestmark = [pytest.mark.engine, pytest.mark.unhurried]

Make = Callable[[str], Image]


@pytest.fixture
def made(engine: docker.DockerClient, tiny: Framework) -> Iterator[Make]:
    """Makes an image of more instructions on top of a sound one: labels are inherited, so they tell nothing."""
    sound = ensure_image(engine, tiny, "1.0")
    images: dict[str, Image] = {}

    def make(instructions: str) -> Image:
        text = f"FROM {sound.tags[0]}\n{instructions}\n"
        image = engine.images.build(fileobj=io.BytesIO(text.encode()), rm=True)[0]
        return images.setdefault(str(image.id), image)

    yield make
    for name in images:
        engine.images.remove(name, force=True)


def test_a_sound_image_answers(engine: docker.DockerClient, made: Make) -> None:
    assert ask(engine, made("ENV A=b"), "print(6 * 7)") == "42\n"
    found = probe.parsed(ask(engine, made("ENV A=b"), probe.SOURCE))
    assert found["python"].startswith("3.11")


@pytest.mark.parametrize(
    "user", ["root", "0", "0:0", "10001", "10001:0", "0:10001", "joulemark", "-1:-1", "1_0:1_0"]
)
def test_an_image_whose_user_is_root_or_a_name_is_refused(made: Make, user: str) -> None:
    with pytest.raises(UnsoundImage, match="user is"):
        image_user(made(f"USER {user}"))


@pytest.mark.parametrize(
    "trap", ["VOLUME /spool", 'HEALTHCHECK --interval=1s CMD ["python3", "-c", "while 1: pass"]']
)
def test_an_image_that_declares_what_ours_do_not_is_refused(
    engine: docker.DockerClient, made: Make, trap: str
) -> None:
    with pytest.raises(UnsoundImage, match="the image declares"):
        ask(engine, made(trap), "print(1)")


def test_an_image_that_does_not_answer_in_time_is_ended(
    engine: docker.DockerClient, made: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "ANSWER_S", 1)
    image = made("ENV A=b")
    with pytest.raises(UnsoundImage, match="does not answer within 1 s"):
        ask(engine, image, "import time; time.sleep(600)")
    assert engine.containers.list(all=True, filters={"ancestor": str(image.id)}) == []


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("import sys; sys.stdout.write('x' * (9 << 20))", "says more than"),
        ("raise SystemExit('\\x1b[2Jno')", "no"),
        ("import os; os.abort()", "no message"),
    ],
)
def test_a_flood_and_a_failure_are_told(
    engine: docker.DockerClient, made: Make, source: str, words: str
) -> None:
    with pytest.raises(UnsoundImage, match=words):
        ask(engine, made("ENV A=b"), source)


@pytest.mark.parametrize(
    "answer",
    ["", "[]", "{}", '{"python": 3, "packages": {}}', '{"python": "3", "packages": {"a": ["b"]}}', "[" * 99_999,
     '{"python": "\\u001b[2J", "packages": {}}', '{"python": "3", "packages": {}, "more": 1}',
     json.dumps({"python": "3", "packages": {str(n): "1" for n in range(5_001)}})],
    ids=range(9),
)  # fmt: skip
def test_an_answer_of_another_form_is_none(answer: str) -> None:
    with pytest.raises(ValueError):
        probe.parsed(answer)


def test_an_environment_of_such_an_image_is_refused_in_one_line(
    tiny: Framework, made: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = made('RUN ["python", "-c", "pass"]\nVOLUME /spool')
    monkeypatch.setattr("harness.environments.images.ensure_image", lambda *_, **__: image)
    with pytest.raises(MissingPrerequisite, match="does not run: the image declares Volumes") as told:
        DockerEnvironment(tiny, "1.0").prepare()
    assert str(told.value).isprintable()
