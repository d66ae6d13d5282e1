"""What identifies a machine or its user goes; what the hardware is and how it was set stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.exports import anonymous
from tests.campaigns import Recipe, build

UUID = "GPU-5c6de1f0-0000-4000-8000-123456789abc"
RUN: dict[str, Any] = {
    "planned": {"run_id": "0001-alice", "treatment": {"workload": "alice"}},
    "campaign_id": "alice-bench7",
    "environment": {
        "interpreter": "/data/of alice/env/bin/python",
        "python": "3.11.2",
        "packages": {"alice": "1.0"},
        "base": "registry.example.org:5000/python:3.11",
        "labels": {"org.joulemark.base": "registry.example.org:5000/python:3.11"},
    },
    "conditions": {
        "gpus": [{"uuid": UUID, "power_limit_w": 300.0}],
        "settings": {"gpus": {UUID: {"power_limit_w": 300.0}}, "swaps": ["/dev/sdz9"], "aslr": 2},
    },
    "reason": "others computed on the GPU: gpu-0: secret-project (1 MiB)",
    "findings": [
        {
            "code": "foreign-gpu-process",
            "message": "others computed on the GPU: gpu-0: secret-project (1 MiB)",
        },
        {
            "code": "x",
            "message": f"gpus.{UUID}.power: 1 -> 2; swaps: ['/dev/sdz9']; /home/alice/x; 00:1a:2b:3c:4d:5e",
        },
    ],
}
NAMES = {"alice": "user", "bench7": "host"}


@pytest.fixture
def cleaned() -> dict[str, Any]:
    found: dict[str, Any] = anonymous.of_value(RUN, NAMES | anonymous.names_in(RUN))
    return found


@pytest.mark.parametrize(
    "secret",
    [UUID, "/dev/sdz9", "secret-project", "/data/of", "bench7", "/home/", "1a:2b", "registry.example"],
)
def test_nothing_of_it_is_left_anywhere(cleaned: dict[str, Any], secret: str) -> None:
    assert secret in json.dumps(RUN)
    assert secret not in json.dumps(cleaned)


def test_numbers_settings_and_our_own_words_stay(cleaned: dict[str, Any]) -> None:
    assert cleaned["planned"] == RUN["planned"]
    assert cleaned["environment"]["packages"] == {"alice": "1.0"}
    assert cleaned["environment"]["labels"] == {"org.joulemark.base": "python:3.11"}
    assert cleaned["conditions"]["settings"]["gpus"] == {"gpu-0": {"power_limit_w": 300.0}}
    assert cleaned["conditions"]["settings"]["aslr"] == 2
    assert cleaned["conditions"]["gpus"] == [{"uuid": "gpu-0", "power_limit_w": 300.0}]
    assert cleaned["campaign_id"] == "user-host"
    assert cleaned["findings"][0]["message"] == cleaned["reason"] == "others computed on the GPU"


def test_cleaning_twice_is_cleaning_once(cleaned: dict[str, Any]) -> None:
    assert anonymous.of_value(cleaned, NAMES) == cleaned


def test_a_name_is_a_whole_word_and_root_is_nobody_s() -> None:
    assert anonymous.of_text("malice of alice-2", NAMES) == "malice of user-2"
    assert "root" not in anonymous.names_here(anonymous.Path("x"))


def test_a_damaged_line_of_a_log_is_cleaned_as_text() -> None:
    lines = anonymous.of_lines('{"error": "alice"}\n{"error": "ali\nalice', NAMES).splitlines()
    assert lines == ['{"error": "user"}', '{"error": "ali', "user"]
    assert anonymous.of_lines('{"a": 1}\n{"error": "alice', NAMES) == '{"a": 1}\n{"error": "user'  # cut short
    traced = 'File "/srv/x/lib/python3.11/site-packages/torch/nn.py", line 3'
    assert anonymous.of_text(traced, {}) == 'File "site-packages/torch/nn.py", line 3'


@pytest.mark.parametrize("word", ["ok", "measure", "train", "ready", "virtualenv", "svm"])
def test_a_worker_names_nothing_outside_its_own_words(tmp_path: Path, word: str) -> None:
    """Else its facts could turn an outcome or an event into something that nobody reads."""
    campaign = build(tmp_path / "c", Recipe(epochs=1, blocks=1))
    record = campaign.runs[0].record
    told = {"hostname": word, "more": [{"uuid": word}], "serial": word, "note": f"of {word}"}
    record = record.model_copy(update={"facts": told})
    names = anonymous.names_in(record.model_dump(mode="json"))
    assert word not in names
    assert anonymous.of_record(record, names).outcome is record.outcome
    line = json.dumps({"t_ns": 1, "kind": "facts", **told})
    assert json.loads(anonymous.of_lines(line, names))["kind"] == "facts"


@pytest.mark.parametrize("host", ["ok", "invalid", "facts", "begin"])
def test_a_machine_may_be_called_like_a_word_of_ours(tmp_path: Path, host: str) -> None:
    campaign = build(tmp_path / "c", Recipe(epochs=1, blocks=1))
    names = {host: "host"}
    assert anonymous.of_record(campaign.runs[0].record, names).outcome is campaign.runs[0].record.outcome
    line = json.dumps({"t_ns": 1, "kind": "phase", "name": "train", "edge": "begin", "epoch": 1})
    assert json.loads(anonymous.of_lines(line, names)) == json.loads(line)


def test_the_longest_name_goes_first() -> None:
    names = {"/a": "short", "/a/b": "long", "b": "other"}
    assert anonymous.of_text("in /a/b and /a, b", names) == "in long and short, other"
