"""Which campaigns are of one machine, and which of one session of it, as their records tell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness import merging, store
from tests.harness.merging.nodes import change, later, node

HOUR = 3600


def places(given: list[Path], out: Path) -> list[tuple[int, int]]:
    return [(one.node, one.session) for one in store.load_campaign(merging.merge(given, out)).record.sources]


def test_two_campaigns_after_one_start_of_a_machine_are_one_session(tmp_path: Path) -> None:
    given = [node(tmp_path / "a", 1), later(node(tmp_path / "b", 1), HOUR)]
    assert places(given, tmp_path / "all") == [(1, 1), (1, 1)]


def test_a_start_between_them_makes_two_sessions_of_one_machine(tmp_path: Path) -> None:
    given = [node(tmp_path / "a", 1), later(node(tmp_path / "b", 1), HOUR, booted=HOUR // 2)]
    assert places(given, tmp_path / "all") == [(1, 1), (1, 2)]


def test_a_setting_that_was_changed_makes_two_sessions(tmp_path: Path) -> None:
    other = change(later(node(tmp_path / "b", 1), HOUR), machine__settings={"turbo": False})
    assert places([node(tmp_path / "a", 1), other], tmp_path / "all") == [(1, 1), (1, 2)]


def test_whoever_measured_at_the_same_time_was_another_machine_whatever_its_id(tmp_path: Path) -> None:
    given = [node(tmp_path / "a", 1), change(node(tmp_path / "b", 2), machine__machine_id=f"{1:032x}")]
    assert places(given, tmp_path / "all") == [(1, 1), (1, 2)]


def test_sessions_of_several_nodes_are_told_apart(tmp_path: Path) -> None:
    given = [
        node(tmp_path / "a", 1), later(node(tmp_path / "b", 1), HOUR, booted=HOUR // 2),
        node(tmp_path / "c", 2), later(node(tmp_path / "d", 2), HOUR),
    ]  # fmt: skip
    found = places(given, tmp_path / "all")
    assert len(set(found)) == 3 and len({node for node, _ in found}) == 2


@pytest.mark.parametrize("started", ["yesterday", ""])
def test_a_start_that_nobody_tells_continues_nothing(tmp_path: Path, started: str) -> None:
    other = later(node(tmp_path / "b", 1), HOUR)
    path = next(other.glob("runs/*/run.json"))
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "started": started}))
    assert places([node(tmp_path / "a", 1), other], tmp_path / "all") == [(1, 1), (1, 2)]
