"""Joules by stack for other programs: as they read them, whatever the functions are called."""

import json
from dataclasses import replace

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as some

from harness.analysis.profiled import Profiles
from harness.errors import UsageError
from harness.exports.joule_stacks import files, folded, speedscope
from tests.campaigns import Recipe
from tests.profiled import build_profiled

NAMES = some.text(some.characters(blacklist_characters=";\n", blacklist_categories=["Cs"]), max_size=6)
STACKS = some.dictionaries(
    some.lists(NAMES, min_size=1, max_size=5).map(";".join), some.floats(0, 100), max_size=12
)
NUMBER = {"type": "number", "minimum": 0}

# Of its types FileFormat.File and SampledProfile (speedscope, src/lib/file-format-spec.ts), what we write.
SPEEDSCOPE = {
    "type": "object",
    "required": ["$schema", "shared", "profiles"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"const": "https://www.speedscope.app/file-format-schema.json"},
        "name": {"type": "string"},
        "exporter": {"type": "string"},
        "activeProfileIndex": {"type": "integer"},
        "shared": {
            "type": "object",
            "required": ["frames"],
            "properties": {
                "frames": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "properties": {"name": {"type": "string"}},
                    },
                }
            },
        },
        "profiles": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["type", "name", "unit", "startValue", "endValue", "samples", "weights"],
                "additionalProperties": False,
                "properties": {
                    "type": {"const": "sampled"},
                    "name": {"type": "string"},
                    "unit": {
                        "enum": ["none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"]
                    },
                    "startValue": NUMBER,
                    "endValue": NUMBER,
                    "samples": {
                        "type": "array",
                        "items": {"type": "array", "items": {"type": "integer", "minimum": 0}},
                    },
                    "weights": {"type": "array", "items": NUMBER},
                },
            },
        },
    },
}


def read_back(text):
    """As speedscope does: frames by their numbers."""
    file = json.loads(text)
    jsonschema.validate(file, SPEEDSCOPE)
    (profile,) = file["profiles"]
    names = [one["name"] for one in file["shared"]["frames"]]
    assert len(names) == len(set(names))
    stacks = [";".join(names[one] for one in sample) for sample in profile["samples"]]
    assert profile["endValue"] == pytest.approx(sum(profile["weights"]))
    return dict(zip(stacks, profile["weights"], strict=True))


@given(STACKS)
def test_speedscope_reads_the_same_stacks_and_joules(stacks):
    assert read_back(speedscope("a title", stacks)) == stacks


@given(STACKS)
def test_folded_lines_are_stacks_and_their_millijoules(stacks):
    lines = [line.rpartition(" ") for line in folded("", stacks).split("\n")[:-1]]
    assert {stack: int(mj) for stack, _, mj in lines} == {
        one: round(1000 * joules) for one, joules in stacks.items()
    }


def test_each_profiled_run_has_its_file(tmp_path):
    profiles = Profiles(build_profiled(tmp_path / "c", Recipe(blocks=1)))
    for form, ending in (("speedscope", ".speedscope.json"), ("folded", ".folded")):
        found = dict(files(profiles, form))
        assert set(found) == {run.run.folder.name + ending for run in profiles.told} and len(found) == 2
    run = profiles.told[0]
    text = dict(files(profiles, "speedscope"))[f"{run.run.folder.name}.speedscope.json"]
    assert read_back(text) == pytest.approx(run.costs.stacks)


def test_without_a_profiled_run_there_is_nothing_to_write(tmp_path):
    campaign = build_profiled(tmp_path / "c", replace(Recipe(), blocks=1), measured=(1,))
    with pytest.raises(
        UsageError, match="no run of the campaign tells its functions: suite profile looks at them"
    ):
        list(files(Profiles(campaign), "speedscope"))
