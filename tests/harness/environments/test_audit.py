"""An image that does not hold what it promises is found out, and never run to find out."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import io
import marshal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import docker
import pytest

from harness.environments import audit, wheel_files
from harness.environments.frameworks import Framework
from harness.environments.images import ensure_image
from harness.environments.packing import packed
from tests.harness.environments.tiny_image import TINY, WHEEL, make_tiny, remove_images

pytestmark = pytest.mark.engine

SITE = "opt/venv/lib/python3.11/site-packages"
INFO = f"{SITE}/joulemark_tiny-1.0.dist-info"
TAG = f"joulemark/{TINY}:1.0-cpu"
Forge = Callable[..., None]


def problems(engine: docker.DockerClient, framework: Framework) -> list[str]:
    return audit.examine(engine, framework, "1.0", "cpu").problems


@pytest.fixture
def forge(engine: docker.DockerClient, tiny: Framework) -> Iterator[Forge]:
    """Puts files into the image under its own tag and labels, as who sends an altered one would."""
    image = ensure_image(engine, tiny, "1.0")

    def altered(files: Mapping[str, bytes], changes: list[str] | None = None) -> None:
        container = engine.containers.create(str(image.id))
        try:
            if files:
                container.put_archive("/", packed(files).getvalue())
            container.commit(*TAG.rsplit(":", 1), changes=changes)
        finally:
            container.remove()

    yield altered
    forged = str(engine.images.get(TAG).id)
    image.tag(*TAG.rsplit(":", 1))  # first, since an image without a name goes with its last child
    if forged != image.id:
        engine.images.remove(forged, force=True)


def pyc(source: str, name: str) -> bytes:
    """One that Python runs instead of any source beside it."""
    unchecked = (1).to_bytes(4, "little") + bytes(8)
    return (
        importlib.util.MAGIC_NUMBER
        + unchecked
        + marshal.dumps(compile(source, name, "exec", dont_inherit=True))
    )


def test_a_sound_image_has_no_problem_and_nothing_is_left_unchecked(
    engine: docker.DockerClient, tiny: Framework
) -> None:
    ensure_image(engine, tiny, "1.0")
    found = audit.examine(engine, tiny, "1.0", "cpu")
    assert (found.problems, found.unchecked) == ([], [])


def test_what_a_check_writes_into_its_home_does_not_stay(
    engine: docker.DockerClient, tiny: Framework
) -> None:
    """Keras writes its settings there, and its images were found unsound."""
    writing = "import pathlib; pathlib.Path.home().joinpath('settings.json').write_text('{}')"
    framework = make_tiny(tiny.folder.parent / f"{TINY}-writes", check=writing)
    try:
        ensure_image(engine, framework, "1.0")
        assert problems(engine, framework) == []
    finally:
        remove_images(framework.name)


def test_an_image_that_is_not_there_names_the_remedy(engine: docker.DockerClient, tiny: Framework) -> None:
    (found,) = problems(engine, replace(tiny, name=f"{TINY}-absent", folder=tiny.folder))
    assert "suite images build" in found


def test_a_changed_check_shows(engine: docker.DockerClient, tiny: Framework) -> None:
    ensure_image(engine, tiny, "1.0")
    assert problems(engine, replace(tiny, check=tiny.check + "\n")) == [
        f"{TAG} differs from the checkout in: recipe"
    ]


def test_honest_labels_hide_no_altered_file(
    engine: docker.DockerClient, tiny: Framework, forge: Forge
) -> None:
    labels = dict(ensure_image(engine, tiny, "1.0").labels)
    forge(
        {
            "opt/joulemark/suite/metrics.py": b"print('another workload')\n",
            "opt/joulemark/suite/__pycache__/work.cpython-311.pyc": pyc("stolen = 1", "suite/work.py"),
            "opt/joulemark/numpy.py": b"",
            "opt/joulemark/bom.cdx.json": b'{"components": []}',
            "opt/venv/pyvenv.cfg": b"home = /opt/joulemark\ninclude-system-site-packages = true\n",
            f"{SITE}/joulemark_tiny.py": b"ANSWER = 42\nSTOLEN = 1\n",
            f"{SITE}/zz.pth": b"import os\n",
            f"{SITE}/sitecustomize.py": b"",
            f"{SITE}/lonely.pyc": pyc("pass", "lonely.py"),
            "usr/lib/python3.11/sitecustomize.py": b"",
            "usr/lib/python3.11/__pycache__/this.cpython-311.pyc": pyc("stolen = 1", "this.py"),
            "etc/ld.so.preload": b"/tmp/evil.so\n",
        }
    )
    assert dict(engine.images.get(TAG).labels) == labels
    assert problems(engine, tiny) == [
        f"{TAG}: holds other workloads than the checkout: /opt/joulemark/suite/metrics.py",
        f"{TAG}: holds altered files: /{SITE}/joulemark_tiny.py",
        f"{TAG}: holds bytecode that is not its source's: /opt/joulemark/suite/__pycache__/work.cpython-311.pyc",
        f"{TAG}: holds what no list names: /opt/joulemark/numpy.py, /{SITE}/lonely.pyc, "
        f"/{SITE}/sitecustomize.py and 1 more",
        f"{TAG}: holds otherwise than its base: /etc/ld.so.preload, "
        "/usr/lib/python3.11/__pycache__/this.cpython-311.pyc, /usr/lib/python3.11/sitecustomize.py",
        f"{TAG}: its /opt/venv/pyvenv.cfg is not of `python3 -m venv`",
        f"{TAG}: its /opt/joulemark/bom.cdx.json does not tell the packages inside",
    ]


def test_a_package_s_bytecode_that_is_not_its_source_s_shows(
    engine: docker.DockerClient, tiny: Framework, forge: Forge
) -> None:
    place = f"{SITE}/__pycache__/joulemark_tiny.cpython-311.pyc"
    forge({place: pyc("ANSWER = 42; STOLEN = 1", f"/{SITE}/joulemark_tiny.py")})
    assert problems(engine, tiny) == [f"{TAG}: holds bytecode that is not its source's: /{place}"]


def test_bytecode_that_was_made_otherwise_of_the_same_source_is_no_problem(
    engine: docker.DockerClient, tiny: Framework, forge: Forge
) -> None:
    """Its header says how it is held against the source, which is no matter here: the code is what counts."""
    place = f"{SITE}/__pycache__/joulemark_tiny.cpython-311.pyc"
    forge({place: pyc("ANSWER = 42\n", f"/{SITE}/joulemark_tiny.py")})
    assert problems(engine, tiny) == []


def test_a_record_forged_along_with_its_file_is_held_against_the_wheel(
    engine: docker.DockerClient,
    tiny: Framework,
    forge: Forge,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    stolen = b"ANSWER = 42\nSTOLEN = 1\n"
    digest = hashlib.sha256(stolen).digest()
    lines = {"joulemark_tiny.py": digest, "joulemark_tiny-1.0.dist-info/RECORD": b""}
    record = "".join(f"{name},{record_hash(one)},\n" for name, one in lines.items())
    forge({f"{SITE}/joulemark_tiny.py": stolen, f"{INFO}/RECORD": record.encode()})
    found = problems(engine, tiny)
    assert f"{TAG}: holds altered files: /{SITE}/joulemark_tiny.py" in found
    assert f"{TAG}: holds RECORDs that are not their wheels': /{INFO}/RECORD" in found
    monkeypatch.setattr(wheel_files, "find", lambda house, pin: None)
    without = audit.examine(engine, tiny, "1.0", "cpu")
    assert not any("altered" in line for line in without.problems)
    (told,) = without.unchecked
    assert "files of joulemark-tiny are held against the image's own RECORD alone" in told


def record_hash(digest: bytes) -> str:
    return f"sha256={base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}" if digest else ""


def test_a_wheel_that_the_lock_does_not_allow_is_no_witness(
    engine: docker.DockerClient, tiny: Framework, monkeypatch: pytest.MonkeyPatch
) -> None:
    ensure_image(engine, tiny, "1.0")
    wheel = audit.paths.wheels_home() / WHEEL
    whole = wheel.read_bytes()
    try:
        wheel.write_bytes(whole + b"\0")
        assert len(audit.examine(engine, tiny, "1.0", "cpu").unchecked) == 1
    finally:
        wheel.write_bytes(whole)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ('ENTRYPOINT ["sh"]', "its Entrypoint is ['sh'], not ['python', '-m', 'suite.run']"),
        ("USER 0:0", "its User is 0:0, not 10001:10001"),
        ("ENV LD_PRELOAD=/opt/evil.so", "its variable LD_PRELOAD is /opt/evil.so, not None"),
        ("ENV PYTHONPATH=/evil", "its variable PYTHONPATH is /evil, not /opt/joulemark"),
        ("WORKDIR /tmp", "its WorkingDir is /tmp, not /opt/joulemark"),
        ("VOLUME /opt/venv", "it sets Volumes, which the recipe does not"),
        ("HEALTHCHECK CMD evil", "it sets Healthcheck, which the recipe does not"),
    ],
)
def test_an_altered_configuration_shows(
    engine: docker.DockerClient,
    tiny: Framework,
    forge: Forge,
    monkeypatch: pytest.MonkeyPatch,
    change: str,
    told: str,
) -> None:
    monkeypatch.setattr(audit, "_inside", lambda *arguments: [])  # the files are others' business
    forge({}, [change])
    assert problems(engine, tiny) == [f"{TAG}: {told}"]


def test_an_image_on_another_base_shows_whatever_its_label_says(
    engine: docker.DockerClient, tiny: Framework, forge: Forge
) -> None:
    """One layer in which the same files lie is not the base's layer."""
    image = ensure_image(engine, tiny, "1.0")
    container = engine.containers.create(str(image.id))
    try:
        flattened = engine.api.import_image_from_data(b"".join(container.export()), *TAG.rsplit(":", 1))
        assert flattened
    finally:
        container.remove()
    rebuilt = f"FROM {TAG}\n" + "".join(f'LABEL {name}="{value}"\n' for name, value in image.labels.items())
    config = image.attrs["Config"]
    rebuilt += "".join(f"ENV {one}\n" for one in config["Env"])
    rebuilt += 'USER 10001:10001\nWORKDIR /opt/joulemark\nENTRYPOINT ["python", "-m", "suite.run"]\n'
    engine.images.build(fileobj=io.BytesIO(rebuilt.encode()), tag=TAG, rm=True)
    assert problems(engine, tiny) == [f"{TAG}: its first layers are not those of its base"]


def test_nothing_of_an_altered_image_ever_runs(
    engine: docker.DockerClient, tiny: Framework, forge: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    forge({f"{SITE}/zz.pth": b"import os\n"})
    altered = engine.images.get(TAG)
    ran: list[object] = []
    run, start = docker.models.containers.ContainerCollection.run, docker.models.containers.Container.start
    monkeypatch.setattr(
        docker.models.containers.ContainerCollection,
        "run",
        lambda self, image, *more, **options: ran.append(image) or run(self, image, *more, **options),
    )
    monkeypatch.setattr(
        docker.models.containers.Container,
        "start",
        lambda self, **options: ran.append(self.image.id) or start(self, **options),
    )
    assert problems(engine, tiny) == [f"{TAG}: holds what no list names: /{SITE}/zz.pth"]
    assert altered.id not in ran


def test_packages_beside_the_lock_show(engine: docker.DockerClient, tiny: Framework, forge: Forge) -> None:
    metadata = b"Metadata-Version: 2.1\nName: more\nVersion: 1.0\n"
    forge({f"{SITE}/more-1.0.dist-info/METADATA": metadata})
    assert f"{TAG}: holds what its lock does not say: more" in problems(engine, tiny)
