"""The Apptainer definition says what the Dockerfile says, in its own words."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.environments import apptainer_image
from harness.environments.definition import definition, instructions
from harness.environments.frameworks import frameworks
from harness.environments.recipe import DOCKERFILE
from harness.errors import UsageError


def sections(text: str) -> dict[str, list[str]]:
    """Lines by section; the header under the empty name."""
    found: dict[str, list[str]] = {"": []}
    for line in text.splitlines():
        if line.startswith("%"):
            found[line[1:]] = []
        elif line:
            found[list(found)[-1]].append(line.strip())
    return found


@pytest.mark.parametrize("name", sorted(frameworks()))
def test_every_step_of_the_dockerfile_is_there_in_its_order(name: str) -> None:
    one = frameworks()[name]
    image = apptainer_image.described(one, one.default_version, "cpu")
    found = sections(image.text)
    steps = [f"({rest})" for word, rest in instructions(DOCKERFILE.read_text()) if word == "RUN"]
    assert [line for line in found["post"] if line.startswith("(")] == steps
    assert len(steps) == 5
    assert f"images/{name}/{image.recipe.lock.name} /opt/joulemark/requirements.lock" in found["files"]
    assert "suite /opt/joulemark/suite" in found["files"]
    assert found["runscript"] == ['exec python -m suite.run "$@"']


def test_its_labels_are_those_of_dockers_image() -> None:
    one = frameworks()["sklearn"]
    image = apptainer_image.described(one, one.default_version, "cpu")
    told = dict(line.split(" ", 1) for line in sections(image.text)["labels"])
    assert (
        told == {**image.recipe.labels, "org.joulemark.framework": "sklearn"} == apptainer_image.labels(image)
    )


def test_what_a_step_sees_is_set_before_it() -> None:
    text = definition(
        "ARG A=1\nFROM x\nENV B=2\nRUN first\nARG C\nRUN second", {"C": "3"}, "docker", "base@sha256:1"
    )
    found = sections(text)
    assert found[""] == ["Bootstrap: docker", "From: base@sha256:1"]
    assert found["post"] == ["export A=1", "export B=2", "(first)", "export C=3", "(second)"]
    assert found["environment"] == ["export B=2"]


@settings(max_examples=20)  # each asks a shell
@given(st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0\v\f\x1c\x1d\x1e\x85\u2028\u2029")))
def test_no_value_is_more_than_a_value(value: str) -> None:
    text = definition("ARG NAME", {"NAME": value}, "docker", "base")
    (line,) = sections(text.replace("    export", "export"))["post"] or [""]
    told = subprocess.run(["sh", "-c", f'{line}\nprintf %s "$NAME"'], capture_output=True, check=True)
    assert told.stdout.decode() == value


def test_an_instruction_that_is_not_known_is_refused() -> None:
    with pytest.raises(UsageError, match="says VOLUME, which no Apptainer definition"):
        definition("FROM x\nVOLUME /data", {}, "docker", "base")
