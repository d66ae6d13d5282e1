"""The control run: a rest as long as asked for, then the same work whoever runs it."""

from __future__ import annotations

import ast
import sys
from contextlib import closing
from pathlib import Path

import pytest

from harness import paths
from suite import control
from suite.protocol import CONTROL, Event, EventWriter, Request
from tests.desk import Desk


def run(folder: Path, threads: int = 1, rounds: int = 200_000, idle_s: float = 0.2) -> list[Event]:
    request = Request(
        run_id="0001-control",
        workload=CONTROL,
        framework="sklearn",
        stage=CONTROL,
        dataset="digits",
        seed=1,
        threads=threads,
        settings={"idle_s": idle_s, "rounds": rounds},
    )
    with closing(Desk(folder / "run", request)) as desk:
        control.execute(request, EventWriter(desk.folder.worker))
        return desk.events


def test_it_rests_first_and_then_works(tmp_path: Path) -> None:
    phases = [event for event in run(tmp_path) if event.kind == "phase"]
    marks = [(event.data["name"], event.data["edge"]) for event in phases]
    assert marks == [("idle", "begin"), ("idle", "end"), ("work", "begin"), ("work", "end")]
    begin, end = [event.t_ns for event in phases if event.data["name"] == "idle"]
    assert 0.2 <= (end - begin) / 1e9 < 2  # never shorter; a machine with other work wakes it later


@pytest.mark.parametrize("threads", [1, 3])
def test_each_thread_has_as_much_work(tmp_path: Path, threads: int) -> None:
    (work,) = [event.data for event in run(tmp_path, threads, idle_s=0) if event.kind == "work"]
    assert work["samples"] * work["steps"] == 200_000 * threads


def test_it_needs_the_standard_library_alone() -> None:
    tree = ast.parse((paths.SUITE / "control.py").read_text())
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    foreign = {name for name in imported if name and name.partition(".")[0] not in sys.stdlib_module_names}
    assert foreign == {"suite.protocol"}
