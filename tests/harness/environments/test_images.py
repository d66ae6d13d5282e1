"""Images: built once, rebuilt only as far as needed, refused if anything is not what the lock says."""

from __future__ import annotations

import io
import json
import os
import shutil
import tarfile
import threading
import time
import urllib.error
import urllib.request
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import docker
import pytest

from harness import paths
from harness.environments import audit, packing, wheels
from harness.environments.bases import LOCAL_BASE
from harness.environments.frameworks import Framework, frameworks
from harness.environments.images import ensure_image, prune
from harness.environments.recipe import LABEL, Recipe, public_base, read_recipe, sha256_of, suite_files
from harness.environments.wheelserver import serve
from harness.errors import MissingPrerequisite, UsageError
from tests.harness.environments.tiny_image import TINY, WHEEL, images_of, make_tiny, make_wheel, remove_images


def recipe_of(framework: Framework) -> Recipe:
    return read_recipe(framework, framework.default_version, "cpu", "base:1", "key")


def test_the_public_base_is_pinned_by_digest() -> None:
    assert "@sha256:" in public_base()


@pytest.mark.parametrize("name", sorted(frameworks()))
def test_the_context_holds_what_the_recipe_copies_and_nothing_of_the_harness(name: str) -> None:
    recipe = recipe_of(frameworks()[name])
    with tarfile.open(fileobj=recipe.context()) as tar:
        names = [one.name for one in tar if one.isfile()]
    own = {
        "images/Dockerfile",
        "images/bom.py",
        f"images/{name}/{recipe.lock.name}",
        f"images/{name}/manifest.toml",
    }
    assert own <= set(names)
    assert all(other.startswith("suite/") for other in set(names) - own)
    assert "suite/run.py" in names


def test_the_suite_s_hash_changes_with_content_and_name_but_not_with_caches(copied_suite: Path) -> None:
    def label() -> str:
        return recipe_of(next(iter(frameworks().values()))).labels[LABEL + "suite-sha256"]

    before = label()
    (copied_suite / "__pycache__").mkdir()
    (copied_suite / "__pycache__" / "run.cpython-311.pyc").write_bytes(b"x")
    (copied_suite / ".run.py.swp").write_bytes(b"x")
    assert label() == before
    (copied_suite / "data.py").rename(copied_suite / "data2.py")
    renamed = label()
    (copied_suite / "run.py").open("a").write("# changed\n")
    assert len({before, renamed, label()}) == 3


def test_names_and_contents_cannot_be_confused() -> None:
    assert sha256_of({"a": b"b"}) != sha256_of({"b": b"a"})


def test_a_device_without_a_lock_is_named() -> None:
    framework = frameworks()["sklearn"]
    with pytest.raises(MissingPrerequisite, match=r"no lock of scikit-learn .* for cuda"):
        read_recipe(framework, framework.default_version, "cuda", "base", "key")
    with pytest.raises(UsageError, match="not offered"):
        read_recipe(framework, "0.0", "cpu", "base", "key")


def test_every_file_of_the_suite_is_source() -> None:
    assert {path.suffix for path in suite_files(paths.SUITE)} == {".py"}


def test_the_wheels_are_served_on_the_loopback_until_the_block_ends(tmp_path: Path) -> None:
    (tmp_path / "a+b.whl").write_bytes(b"wheel")
    with serve(tmp_path) as address:
        assert address.startswith("http://127.0.0.1:")
        assert b"a%2Bb.whl" in urllib.request.urlopen(address).read()
        with serve(tmp_path, int(address.rstrip("/").rpartition(":")[2])) as other:
            assert other != address, "a port that is taken is not waited for"
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(address, timeout=2)


@pytest.mark.engine
def test_an_unchanged_image_is_used_again(engine: docker.DockerClient, tiny: Framework) -> None:
    first = ensure_image(engine, tiny, "1.0")
    begin, steps = time.monotonic(), list[str]()
    second = ensure_image(engine, tiny, "1.0", progress=steps.append)
    assert second.id == first.id
    assert time.monotonic() - begin < 2
    assert not steps
    assert first.tags == [f"joulemark/{TINY}:1.0-cpu"]
    assert images_of(TINY) == [first.id]


@pytest.mark.engine
def test_a_change_in_the_suite_rebuilds_the_code_layers_only(
    engine: docker.DockerClient, tiny: Framework, copied_suite: Path
) -> None:
    before = ensure_image(engine, tiny, "1.0")
    (copied_suite / "run.py").open("a").write("# changed\n")
    begin = time.monotonic()
    after = ensure_image(engine, tiny, "1.0")
    assert after.id != before.id
    assert time.monotonic() - begin < 15
    old, new = (image.attrs["RootFS"]["Layers"] for image in (before, after))
    assert old[:-2] == new[:-2], "packages were installed anew"
    assert old[-2] != new[-2]
    assert images_of(TINY) == [after.id], "the outdated image is still there"


@pytest.mark.engine
def test_a_changed_check_makes_the_image_outdated(engine: docker.DockerClient, tiny: Framework) -> None:
    before = ensure_image(engine, tiny, "1.0")
    after = ensure_image(engine, replace(tiny, check=tiny.check + "\n"), "1.0")
    assert after.labels[f"{LABEL}recipe-sha256"] != before.labels[f"{LABEL}recipe-sha256"]


@pytest.mark.engine
def test_two_who_want_the_same_image_build_it_once(engine: docker.DockerClient, tiny: Framework) -> None:
    framework = make_tiny(tiny.folder.parent / f"{TINY}-twice")
    built, said = list[str](), list[str]()

    def want() -> None:
        with closing(docker.from_env()) as client:
            built.append(str(ensure_image(client, framework, "1.0", progress=said.append).id))

    try:
        threads = [threading.Thread(target=want) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(set(built)) == 1
        assert sum(line.startswith("building") for line in said) == 1
    finally:
        remove_images(framework.name)


@pytest.mark.engine
@pytest.mark.parametrize("tampered", ["wheel", "lock"])
def test_a_hash_that_differs_leaves_no_image(
    tampered: str, engine: docker.DockerClient, tiny: Framework
) -> None:
    framework = make_tiny(tiny.folder.parent / f"{TINY}-{tampered}")
    wheel, lock = paths.wheels_home() / WHEEL, framework.lock("1.0")
    try:
        if tampered == "wheel":
            wheel.write_bytes(wheel.read_bytes() + b"\0")
        else:
            lock.write_text(lock.read_text().replace("sha256:", "sha256:" + "0" * 8)[:-9] + "\n")
        with pytest.raises(MissingPrerequisite, match=r"Tiny 1\.0") as caught:
            ensure_image(engine, framework, "1.0")
        assert "\n" not in str(caught.value)
        assert images_of(framework.name) == []
    finally:
        make_wheel(wheel)


@pytest.mark.engine
def test_the_build_itself_refuses_a_wheel_of_another_hash(
    engine: docker.DockerClient, tiny: Framework, monkeypatch: pytest.MonkeyPatch
) -> None:
    framework = make_tiny(tiny.folder.parent / f"{TINY}-served")
    wheel = paths.wheels_home() / WHEEL
    wheel.write_bytes(wheel.read_bytes() + b"\0")
    monkeypatch.setattr(wheels, "download", lambda lock, title: wheel.parent)
    try:
        with pytest.raises(MissingPrerequisite, match="THESE PACKAGES DO NOT MATCH THE HASHES"):
            ensure_image(engine, framework, "1.0")
        assert images_of(framework.name) == []
    finally:
        make_wheel(wheel)


@pytest.mark.engine
def test_a_failing_check_is_one_line_that_names_the_log(engine: docker.DockerClient, tiny: Framework) -> None:
    framework = make_tiny(tiny.folder.parent / f"{TINY}-wrong", check='assert False, "a wrong build"')
    with pytest.raises(MissingPrerequisite, match="AssertionError: a wrong build") as caught:
        ensure_image(engine, framework, "1.0")
    message = str(caught.value)
    assert "\n" not in message
    log = Path(message.partition("(log: ")[2].rstrip(")"))
    assert "Step " in log.read_text()
    assert images_of(framework.name) == []


@pytest.mark.engine
@pytest.mark.parametrize("lacks", ["/usr/bin/c++", "/usr/include/python3.11/Python.h"])
def test_a_mode_that_compiles_needs_a_base_with_a_compiler(
    lacks: str, engine: docker.DockerClient, tiny: Framework
) -> None:
    framework = make_tiny(
        tiny.folder.parent / f"{TINY}-compiles", more='modes_needing_compiler = ["compile"]\n'
    )
    base = "joulemark-test/no-compiler:1"
    recipe = f"FROM {LOCAL_BASE}\nRUN rm {lacks}\n"
    engine.images.build(fileobj=io.BytesIO(recipe.encode()), tag=base, rm=True)
    try:
        with pytest.raises(MissingPrerequisite, match=r"lacks c\+\+ or Python.h; one from suite"):
            ensure_image(engine, framework, "1.0", base=base)
        assert ensure_image(engine, framework, "1.0")
    finally:
        remove_images(framework.name)
        engine.images.remove(base, force=True)


@pytest.mark.engine
def test_a_base_that_cannot_be_had_names_the_remedy(
    engine: docker.DockerClient, tiny: Framework, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOULEMARK_BASE_IMAGE", "127.0.0.1:9/none:1")  # nothing listens on the discard port
    with pytest.raises(MissingPrerequisite, match="suite images base"):
        ensure_image(engine, tiny, "1.0")


@pytest.mark.engine
def test_a_stale_image_is_taken_as_it_is_only_when_allowed(
    engine: docker.DockerClient, tiny: Framework, copied_suite: Path
) -> None:
    before = ensure_image(engine, tiny, "1.0")
    (copied_suite / "run.py").open("a").write("# changed\n")
    assert ensure_image(engine, tiny, "1.0", allow_stale=True).id == before.id
    assert ensure_image(engine, tiny, "1.0").id != before.id


@pytest.mark.engine
def test_what_is_not_kept_is_pruned(engine: docker.DockerClient, tiny: Framework) -> None:
    other = make_tiny(tiny.folder.parent / f"{TINY}-old")
    tag, label = f"joulemark/{other.name}:1.0-cpu", f"{LABEL}framework={other.name}"
    ensure_image(engine, other, "1.0")
    assert list(prune(engine, {tag}, label)) == []
    assert list(prune(engine, set(), label)) == [tag]
    assert images_of(other.name) == []


@pytest.mark.engine
def test_a_disk_that_is_nearly_full_is_refused_before_the_build(
    engine: docker.DockerClient, tiny: Framework, monkeypatch: pytest.MonkeyPatch
) -> None:
    framework = make_tiny(tiny.folder.parent / f"{TINY}-full")
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=1 << 30))
    with pytest.raises(MissingPrerequisite, match=r"1024 MiB free.*suite images prune"):
        ensure_image(engine, framework, "1.0")
    assert images_of(framework.name) == []


@pytest.mark.engine
def test_an_image_carries_its_bill_of_materials(engine: docker.DockerClient, tiny: Framework) -> None:
    bill = json.loads(audit.bill(engine, ensure_image(engine, tiny, "1.0")))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert bill["metadata"]["component"] == {"type": "container", "name": TINY, "version": "1.0"}
    assert [one["name"] for one in bill["components"]] == ["python", "joulemark-tiny"]
    assert bill["components"][1]["purl"] == "pkg:pypi/joulemark-tiny@1.0"


def context_of(framework: Framework) -> bytes:
    return read_recipe(framework, "1.0", "cpu", "base:1", "key").context().getvalue()


def test_no_umask_and_no_mode_of_the_checkout_shows_in_the_build_context(
    tiny: Framework, copied_suite: Path
) -> None:
    open_to_all = context_of(tiny)
    for path in copied_suite.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
    assert context_of(tiny) == open_to_all
    with tarfile.open(fileobj=io.BytesIO(open_to_all)) as tar:
        members = tar.getmembers()
    assert {(one.isdir(), one.mode, one.uid, one.gid, one.mtime) for one in members} == {
        (True, 0o755, 0, 0, 0),
        (False, 0o644, 0, 0, 0),
    }


@pytest.mark.engine
@pytest.mark.parametrize("by_hand", [False, True])
def test_a_worker_reads_what_was_built_under_a_private_umask(
    engine: docker.DockerClient, tiny: Framework, monkeypatch: pytest.MonkeyPatch, by_hand: bool
) -> None:
    """Built by hand, the context carries the modes of a checkout that was made under it."""
    framework = make_tiny(tiny.folder.parent / f"{TINY}-umask-{by_hand:d}")
    if by_hand:
        monkeypatch.setattr(packing, "FILE_MODE", 0o600)
        monkeypatch.setattr(packing, "FOLDER_MODE", 0o700)
    before = os.umask(0o077)
    try:
        image = ensure_image(engine, framework, "1.0")
        said = engine.containers.run(str(image.id), ["-c", READ_ALL], entrypoint="python", remove=True)
    finally:
        os.umask(before)
        remove_images(framework.name)
    assert said == b"10001\n"


READ_ALL = """
import os, pathlib, suite.run
for path in pathlib.Path('/opt').rglob('*'):
    path.is_file() and path.read_bytes()
    path.is_dir() and os.listdir(path)
print(os.getuid())
"""


@pytest.mark.engine
def test_a_base_of_another_python_is_refused_by_its_version(
    engine: docker.DockerClient, tiny: Framework
) -> None:
    framework = make_tiny(tiny.folder.parent / f"{TINY}-minor")
    base = "joulemark-test/another-python:1"
    says_so = "import sys; sys.version_info = (3, 12, 0, 'final', 0)"
    place = "/usr/lib/python3.11"
    # The base's modules are compiled, and nobody looks whether that is still of their source.
    forget = f"rm -f {place}/__pycache__/sitecustomize.*"
    recipe = f'FROM {LOCAL_BASE}\nRUN echo "{says_so}" > {place}/sitecustomize.py && {forget}\n'
    engine.images.build(fileobj=io.BytesIO(recipe.encode()), tag=base, rm=True)

    def dangling() -> set[str]:
        return {str(image.id) for image in engine.images.list(filters={"dangling": True})}

    before = dangling()
    try:
        with pytest.raises(
            MissingPrerequisite, match=r"the base image .* has Python 3\.12, not 3\.11"
        ) as caught:
            ensure_image(engine, framework, "1.0", base=base)
        assert "\n" not in str(caught.value)
        assert images_of(framework.name) == []
        assert dangling() == before
    finally:
        engine.images.remove(base, force=True)
