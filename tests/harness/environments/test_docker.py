"""A framework's environment of containers: found, described, refused."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docker
import numpy as np
import pytest
from docker.models.images import Image

from harness.analysis import same_measurement
from harness.environments.base import Job
from harness.environments.bases import LOCAL_BASE, identity
from harness.environments.docker import DockerEnvironment, available, digest
from harness.environments.frameworks import Framework, framework
from harness.errors import MissingPrerequisite
from harness.records import CampaignRecord
from tests.campaigns import Recipe, campaign_record
from tests.harness.environments.containers import RUN, containers
from tests.harness.environments.tiny_image import TINY, images_of, make_tiny, remove_images


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("unix:///nonexistent/docker.sock", "no Docker engine answers"),
        ("tcp://127.0.0.1:9", "no Docker engine answers"),
        ("tcp://build.example.org:2376", "on this machine"),
        ("ssh://build.example.org", "on this machine"),
    ],
)
def test_an_engine_out_of_reach_is_one_line_within_two_seconds(
    address: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", address)
    begin = time.monotonic()
    said = available()
    assert time.monotonic() - begin < 2
    assert said is not None
    assert reason in said
    assert "\n" not in said
    with pytest.raises(MissingPrerequisite):
        DockerEnvironment(framework("sklearn"), "1.9.1").prepare()


@pytest.mark.engine
def test_the_description_names_what_is_inside(environment: DockerEnvironment, tiny: Framework) -> None:
    described = environment.describe()
    assert described["packages"] == {"joulemark-tiny": "1.0"}, "something besides the lock is installed"
    assert described["python"].startswith("3.11.")
    assert described["image"] == f"joulemark/{tiny.name}:1.0-cpu"
    assert described["image_id"].startswith("sha256:")
    assert described["image_digest"] == described["image_id"], "built here, known to no registry"
    assert {"lock_sha256", "suite_sha256", "base"} <= set(described)
    assert described["labels"]["org.joulemark.framework"] == tiny.name
    json.dumps(described)


@pytest.mark.engine
def test_a_stale_image_is_described_as_such(
    environment: DockerEnvironment, tiny: Framework, copied_suite: Path
) -> None:
    (copied_suite / "run.py").open("a").write("# changed\n")
    allowed = DockerEnvironment(tiny, "1.0", allow_stale=True)
    allowed.prepare()
    assert allowed.describe()["image_id"] == environment.describe()["image_id"], "it was built anew"
    assert (environment.describe()["stale"], allowed.describe()["stale"]) == (False, True)


def test_an_image_of_a_registry_is_known_by_the_registry_s_digest() -> None:
    pulled = Image(attrs={"Id": "sha256:1", "RepoDigests": ["example.org/torch@sha256:2"]})
    assert digest(pulled) == "example.org/torch@sha256:2"


@pytest.mark.engine
def test_a_missing_data_folder_is_refused_and_leaves_nothing(
    environment: DockerEnvironment, job: Job, engine: docker.DockerClient
) -> None:
    job.data.rmdir()
    with pytest.raises(MissingPrerequisite, match=f"run {RUN} does not start: .*source path does not exist"):
        environment.start(job)
    assert containers(engine) == []
    assert not job.data.exists()


@pytest.mark.engine
def test_an_image_that_was_removed_fails_its_runs_and_no_others(
    environment: DockerEnvironment, job: Job, engine: docker.DockerClient, tiny: Framework, tmp_path: Path
) -> None:
    gone = DockerEnvironment(make_tiny(tiny.folder.parent / f"{TINY}-gone"), "1.0")
    gone.prepare()
    engine.images.remove(gone.describe()["image_id"], force=True)
    with pytest.raises(
        MissingPrerequisite, match=f"image joulemark/{TINY}-gone:1.0-cpu was removed.*run again"
    ):
        gone.start(job)
    assert containers(engine) == []
    environment.start(job).stop()
    gone.prepare()
    assert images_of(f"{TINY}-gone") == [gone.describe()["image_id"]], "it is not built anew"
    remove_images(f"{TINY}-gone")


@pytest.mark.engine
def test_a_campaign_goes_on_after_its_image_was_removed_and_built_anew(
    engine: docker.DockerClient, tiny: Framework, copied_suite: Path
) -> None:
    one = make_tiny(tiny.folder.parent / f"{TINY}-anew")
    try:
        before = described(one)
        remove_images(one.name)
        again = described(one)
        assert again["image_id"] != before["image_id"]
        record = campaign_record(Recipe(), np.random.default_rng(0))
        record = record.model_copy(update={"environments": {"tiny": before}})
        assert list(changed_work(record, again)) == []

        (copied_suite / "metrics.py").write_text("other = 1\n")
        other = described(one)
        assert list(changed_work(record, other)) == ["the environment of tiny (suite_sha256)"]
        lock = one.lock("1.0")
        lock.write_text(f"# of another day\n{lock.read_text()}")
        (named,) = changed_work(record, described(one))
        assert "lock_sha256" in named
    finally:
        remove_images(one.name)


def changed_work(before: CampaignRecord, tiny: dict[str, Any]) -> Iterator[str]:
    return same_measurement.changed_work(before, before.model_copy(update={"environments": {"tiny": tiny}}))


def described(one: Framework) -> dict[str, Any]:
    environment = DockerEnvironment(one, "1.0")
    environment.prepare()
    return environment.describe()


@pytest.mark.engine
def test_a_base_is_known_by_its_content_whatever_its_name_and_the_time_of_its_making(
    engine: docker.DockerClient,
) -> None:
    made = []
    try:
        for line in ("LABEL made=once", "LABEL made=again", "ENV OTHER=1"):
            recipe = io.BytesIO(f"FROM {LOCAL_BASE}\n{line}\n".encode())
            made.append(engine.images.build(fileobj=recipe, rm=True)[0])
        once, again, changed = made
        assert once.id != again.id
        assert identity(once) == identity(again) != identity(changed)
    finally:
        for image in made:
            engine.images.remove(str(image.id), force=True)
