"""Every workload on every framework has its tables, call graph, flame graph and operators, as suite profile makes them.

In virtual environments and in containers. One in every CI, the others, up to minutes each, in `make test-slow`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import docker
import pytest

from harness import store
from harness.analysis.profiled import Profiles
from harness.analysis.times_within import function_times, operator_times
from harness.attribution.functions import MORE, is_native
from harness.cli.known_words import TOOLS
from harness.inventory import catalog
from harness.records import Outcome, Profiler
from harness.store import Campaign
from suite.profilers import WITH_OPERATORS
from tests.harness.cli.conftest import Answer

PLACES = [f"{name} {framework}" for name, one in catalog.workloads().items() for framework in one.frameworks]
SHARE = ("mnist_mlp torch",)
# How something waits, or some of a library: no function, of which anybody learns what cost the joules.
TELL_NOBODY = (
    "syscall [native]", "clock_nanosleep [native]", "unknown [native] libc.", "unknown [native] libgomp",
)  # fmt: skip

pytestmark = pytest.mark.timeout(1200)


@pytest.mark.frameworks
@pytest.mark.parametrize(
    "place", [pytest.param(one, marks=() if one in SHARE else pytest.mark.slow) for one in PLACES]
)
def test_there_are_functions_by_joules_and_time_call_graphs_and_operators(
    suite: Callable[..., Answer], tmp_path: Path, shared_home: Path, place: str
) -> None:
    all_is_there(suite, tmp_path / "campaign", place, "virtualenv")


@pytest.mark.slow
@pytest.mark.engine
@pytest.mark.skipif(os.geteuid() != 0, reason="native frames in a container need root")
@pytest.mark.parametrize("place", PLACES)
def test_there_are_the_same_in_containers(
    engine: docker.DockerClient, suite: Callable[..., Answer], tmp_path: Path, shared_home: Path, place: str
) -> None:
    all_is_there(suite, tmp_path / "campaign", place, "docker")


def all_is_there(suite: Callable[..., Answer], folder: Path, place: str, environment: str) -> None:
    workload, framework = place.split()
    tools = [word for tool in TOOLS for word in ("--tool", tool)]
    asked = ("--profile", "quick", "--environment", environment, "--device", "cpu")
    answer = suite("profile", workload, "-f", framework, "-s", "train", *tools, *asked, "-o", folder)
    assert answer.code == 0, answer.out + answer.err
    campaign, page = store.load_campaign(folder), (folder / "report.html").read_text()
    assert {run.record.outcome for run in campaign.runs} == {Outcome.OK}
    looked_at(campaign, page)
    by_time(campaign, page)
    if framework in WITH_OPERATORS:
        operators(campaign, page)
    else:
        assert "has no operators of its own" in answer.out and not operator_times(campaign)


def looked_at(campaign: Campaign, page: str) -> None:
    """Once with Python's frames alone, once with native ones."""
    runs = Profiles(campaign).runs
    for run in runs:
        assert run.costs is not None, run.reason
        assert run.costs.found.total_j == pytest.approx(run.costs.energy_j, rel=1e-3)
        frames = {frame for stack in run.costs.stacks for frame in stack.split(MORE)}
        assert "suite.run.<module>" in frames
        assert any(map(is_native, frames)) == (run.tool is Profiler.NATIVE)
        assert len(run.costs.rows) > 1
        assert not [one for one in run.costs.rows["function"] if one.startswith(TELL_NOBODY)]
        assert (run.run.folder / "joules.folded").stat().st_size > 0
    assert {run.tool for run in runs} == {Profiler.PY_SPY, Profiler.NATIVE}
    assert 'id="functions-table-2"' in page and page.count("data-flame=") == 2


def by_time(campaign: Campaign, page: str) -> None:
    (run,) = function_times(campaign)
    assert run.times is not None, run.reason
    assert len(run.times.functions) > 0 and (run.times.functions["api"] != "").any()
    assert len(run.times.graph.functions) > 1 and len(run.times.graph.calls) > 0
    assert (run.run.folder / "calls.svg").stat().st_size > 0
    assert 'class="scroll callgraph"' in page


def operators(campaign: Campaign, page: str) -> None:
    """Of most of the time it is known what they compute; their joules are told, and add up."""
    (run,) = operator_times(campaign)
    assert run.run.record.planned.profiler is Profiler.OPERATORS
    assert run.times is not None, run.reason
    rows = run.times.operators
    assert rows.loc[~rows["operator"].str.startswith("other"), "share"].sum() > 0.5
    assert run.times.joules is not None, run.times.reason
    assert run.times.joules.shares.total_j == pytest.approx(run.times.joules.energy_j, rel=0.01)
    assert 'id="operators-table-1-1"' in page and 'id="operators-table-1-1-balance"' in page
