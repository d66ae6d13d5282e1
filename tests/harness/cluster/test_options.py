"""What sbatch is told: only plain words, and always a whole node that nobody starts a job on again."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from submitit.slurm.slurm import _make_sbatch_string

from harness.cluster import options
from harness.errors import UsageError
from harness.planning.plan import order
from harness.records import Plan
from tests import campaigns

GIVEN = dict.fromkeys(options.NAMES)


def plan(blocks: int = 4) -> Plan:
    recipe = campaigns.Recipe(blocks=blocks)
    return campaigns.plan(
        recipe, campaigns.campaign_record(recipe, campaigns.np.random.default_rng(1)).plan.treatments
    )


def parsed(**given: Any) -> options.SlurmOptions:
    one = plan()
    return options.parse({**GIVEN, **given}, one, len(order(one)))


def script(excluded: tuple[str, ...] = (), **given: Any) -> list[str]:
    made = options.parameters(parsed(**given), "joulemark-c-1", excluded)
    return str(_make_sbatch_string(command="true", folder="/f", **made)).splitlines()


def test_a_job_gets_a_whole_node_and_is_not_started_again() -> None:
    lines = script(partition="gpus", gres="gpu:1", time="1:30:00")
    for wanted in (
        "--exclusive",
        "--no-requeue",
        "--nodes=1",
        "--mem=0",
        "--partition=gpus",
        "--gres=gpu:1",
        "--time=90",
    ):
        assert f"#SBATCH {wanted}" in lines


def test_nothing_signals_a_job_but_its_end() -> None:
    """Submitit's own signal kills a Python that has not begun to handle it."""
    assert [line for line in script() if "signal" in line] == ["#SBATCH --signal=CONT@1"]


def test_unfit_nodes_are_left_out() -> None:
    assert "#SBATCH --exclude=n1,n3" in script(excluded=("n3", "n1"))
    assert not [line for line in script() if "exclude" in line]


def test_all_that_is_said_is_a_parameter_of_submitit() -> None:
    known = set(inspect.signature(_make_sbatch_string).parameters)
    assert (
        set(options.parameters(parsed(partition="p", qos="q", account="a", constraint="c"), "n", ("x",)))
        <= known
    )


@given(
    st.text(min_size=1, max_size=30), st.sampled_from(["partition", "gres", "constraint", "account", "qos"])
)
def test_any_word_is_refused_or_stands_in_its_own_line(word: str, name: str) -> None:
    try:
        lines = script(**{name: word})
    except UsageError as error:
        assert f"--{name}" in str(error)
        return
    assert [line for line in lines if line.startswith(f"#SBATCH --{name}=")] != []
    assert len(lines) == len(script(**{name: "plain"}))


@pytest.mark.parametrize("word", ["a b", "x\n#SBATCH --uid=0", "$(id)", "-p", "", "'", "a;b"])
def test_what_is_no_word_is_refused(word: str) -> None:
    with pytest.raises(UsageError, match="--partition"):
        parsed(partition=word)


def test_without_a_time_a_block_gets_several_times_its_forecast() -> None:
    one = plan()
    runs = len(order(one))
    block_min = runs * one.expected_run_s / one.repetitions / 60
    assert options.minutes_of(one, runs) >= options.STARTING_MIN + options.SLACK * block_min - 1


def test_as_many_nodes_as_blocks_unless_said() -> None:
    assert parsed().nodes == 4
    assert parsed(nodes=2).nodes == 2
