"""Whatever was carried out before a crash, what comes next is what the plan still lacks, once and in order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harness.campaign import schedule
from harness.planning import plan
from harness.planning.plan_files import Protocol
from harness.records import Outcome, PlannedRun, PowerModel, Treatment

PROTOCOL = Protocol(
    repetitions=3, sample_period_s=1, baseline_s=0, run_timeout_s=1, expected_run_s=1,
    power_model=PowerModel(idle_w=1, busy_cpu_w=1),
)  # fmt: skip
TREATMENTS = [
    Treatment(workload="w", framework=name, version="1", stage=stage, dataset="d")
    for name in ("a", "b")
    for stage in ("train", "infer")
]
ORDER = plan.order(plan.make("quick", PROTOCOL, TREATMENTS, (), seed=1))
outcomes = st.sampled_from(list(Outcome))


def carried_out(retries: int, draw: st.DataObject, stop_after: int = 10_000) -> dict[str, Outcome]:
    done: dict[str, Outcome] = {}
    while len(done) < stop_after and (planned := schedule.next_run(ORDER, done, retries)):
        assert planned.run_id not in done
        done[planned.run_id] = draw.draw(outcomes)
    return done


@given(st.data(), st.integers(0, 2))
def test_every_run_is_made_and_what_did_not_count_is_repeated_up_to_the_limit(
    data: st.DataObject, retries: int
) -> None:
    done = carried_out(retries, data)
    assert {planned.run_id for planned in ORDER} <= set(done)
    for planned in ORDER:
        mine = [outcome for name, outcome in done.items() if name.startswith(planned.run_id)]
        assert len(mine) <= 1 + retries
        assert all(outcome in schedule.REPEATED for outcome in mine[:-1])
        assert mine[-1] not in schedule.REPEATED or len(mine) == 1 + retries
    assert schedule.settled(ORDER, done, retries) == all(
        Outcome.OK in [outcome for name, outcome in done.items() if name.startswith(planned.run_id)]
        for planned in ORDER
    )


@given(st.data(), st.integers(0, 2), st.integers(0, 30))
def test_a_campaign_broken_off_anywhere_goes_on_as_if_it_had_not_been(
    data: st.DataObject, retries: int, stop_after: int
) -> None:
    """What comes next depends on what is on disk alone, whoever wrote it and in whatever order it is read."""
    done = carried_out(retries, data, stop_after)
    shuffled = dict(data.draw(st.permutations(list(done.items()))))
    assert schedule.next_run(ORDER, done, retries) == schedule.next_run(ORDER, shuffled, retries)


def test_repetitions_come_at_the_end_of_their_own_block() -> None:
    def failing_first(planned: PlannedRun) -> Outcome:
        return Outcome.INVALID if planned.run_id == ORDER[1].run_id else Outcome.OK

    done: dict[str, Outcome] = {}
    names: list[str] = []
    while planned := schedule.next_run(ORDER, done, retries=1):
        names.append(planned.run_id)
        done[planned.run_id] = failing_first(planned)
    block = [planned.run_id for planned in ORDER if planned.block == 1]
    assert names[1:6] == [*block, f"{ORDER[1].run_id}-again-1"]
    assert schedule.settled(ORDER, done, retries=1)
