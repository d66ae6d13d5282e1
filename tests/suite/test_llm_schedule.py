"""Laws of continuous batching, and the loop around a server whose every call takes a known time."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies

from suite.llm import serving
from suite.llm.schedule import IDLE, SlotSchedule, scheduled
from suite.llm.spec import SPEC
from suite.spec import SettingError

SPECS = strategies.builds(
    lambda slots, new_tokens, rate: SPEC.with_settings(
        {**SPEC.proof_settings, "requests": slots, "predict_batch_size": slots, "new_tokens": new_tokens}
        | {"arrivals_per_step": rate}
    ),
    strategies.integers(1, 5),
    strategies.integers(2, 12),
    strategies.sampled_from([0.01, 0.1, 0.5, 2.0, 1000.0]),
)
ROWS = strategies.integers(1, 40).flatmap(lambda n: strategies.permutations(range(n))).map(np.array)


@given(SPECS, ROWS)
def test_every_request_is_held_once_by_one_slot_for_all_steps_of_its_answer(spec, rows):
    found = spec.schedule(rows)
    assert found.held.shape[1] == spec.predict_batch_size
    assert ((found.tokens >= 2) & (found.tokens <= spec.new_tokens)).all()
    for request, tokens in enumerate(found.tokens):
        steps, slots = np.nonzero(found.held == request)
        assert len(set(slots)) == 1 and (np.diff(steps) == 1).all() and len(steps) == tokens - 1
        assert (steps[0], steps[-1]) == (found.first[request], found.last[request])
        assert (found.ages[steps, slots] == np.arange(tokens - 1)).all()


@given(SPECS, ROWS)
def test_who_came_first_is_admitted_first_and_nobody_before_they_came(spec, rows):
    found = spec.schedule(rows)
    assert (np.diff(found.arrived) > 0).all() and (np.diff(found.first) >= 0).all()
    assert (found.began[found.first] >= found.arrived).all()
    admitted = [request for of_step in found.admitted for _, request in of_step]
    assert admitted == list(range(len(rows)))


@given(SPECS, ROWS)
def test_no_slot_stays_free_while_somebody_waits_and_no_step_is_of_nobody(spec, rows):
    found = spec.schedule(rows)
    busy = found.held != IDLE
    assert busy.any(axis=1).all()
    for step, (began, of_step) in enumerate(zip(found.began, busy, strict=True)):
        waiting = (found.arrived <= began) & (found.first > step)
        assert of_step.all() or not waiting.any()


@given(SPECS, ROWS)
def test_the_clock_takes_a_step_a_step_and_jumps_only_to_an_arrival_that_finds_nobody(spec, rows):
    found = spec.schedule(rows)
    jumps = [step + 1 for step, (one, next_one) in enumerate(pairwise(found.began)) if next_one != one + 1]
    for step in jumps:
        assert found.began[step] in found.arrived and found.began[step] > found.began[step - 1] + 1
        assert not set(found.held[step]) & set(found.held[step - 1]) - {IDLE}


@given(SPECS, ROWS)
def test_work_is_the_same_at_every_rate_and_nothing_packs_it_better_than_all_at_once(spec, rows):
    found = spec.schedule(rows)
    at_once = scheduled(np.zeros(len(rows)), found.tokens, spec.predict_batch_size)
    work = [one.held.size - one.idle_slot_steps for one in (found, at_once)]
    assert work[0] == work[1] == (found.tokens - 1).sum()
    assert len(at_once.held) <= len(found.held)


def test_the_same_rows_have_the_same_schedule_and_others_another():
    rows = np.arange(30)
    one, again, other = (SPEC.schedule(some) for some in (rows, rows.copy(), rows[::-1]))
    assert np.array_equal(one.held, again.held) and np.array_equal(one.arrived, again.arrived)
    assert not np.array_equal(one.arrived, other.arrived)


def test_a_request_has_as_long_an_answer_whenever_it_comes():
    one, other = (SPEC.schedule(rows) for rows in (np.arange(30), np.arange(30)[::-1]))
    assert one.tokens.tolist() == other.tokens[::-1].tolist()


def test_arrivals_are_poisson_s_and_lengths_as_often_each():
    spec = SPEC.with_settings({"arrivals_per_step": 0.25, "new_tokens": 11})
    found = spec.schedule(np.arange(20_000))
    gaps = np.diff(found.arrived)
    assert gaps.mean() == pytest.approx(4.0, rel=0.03) and gaps.std() == pytest.approx(4.0, rel=0.05)
    _, counts = np.unique(found.tokens, return_counts=True)
    assert len(counts) == 10 and counts.min() > 0.9 * counts.max()


def test_the_faster_requests_come_the_fewer_slots_are_idle():
    shares = []
    for rate in (0.01, 0.05, 0.2, 1.0):
        found = SPEC.with_settings({"arrivals_per_step": rate}).schedule(np.arange(400))
        shares.append(found.idle_slot_steps / found.held.size)
    assert shares == sorted(shares, reverse=True) and shares[0] > 0.8 and shares[-1] < 0.1


@pytest.mark.parametrize("rate", [0.0, -1.0, 1e-9, 1e9])
def test_a_rate_that_no_schedule_has_is_refused(rate):
    with pytest.raises(SettingError, match=r"arrivals_per_step must be at least 0\.001 and at most 1000"):
        SPEC.with_settings({"arrivals_per_step": rate})


class Counts:
    """A server in whose answers each token is the one before and 1, the first 100 times its row; a clock besides."""

    READ_NS, STEP_NS = 1_000, 50_000

    def __init__(self, slots):
        self.now_ns, self.tokens, self.seen = 7, np.zeros(slots, int), []

    def read(self, row, slot):
        self.now_ns += self.READ_NS
        self.tokens[slot] = 100 * row

    def step(self, places):
        self.now_ns += self.STEP_NS
        self.seen.append(places)
        self.tokens = (read := self.tokens) + 1
        return np.stack([read, self.tokens])


@pytest.fixture
def served(monkeypatch):
    def serve(**settings):
        spec = SPEC.with_settings(
            {**SPEC.proof_settings, "requests": 3, "predict_batch_size": 3, "arrivals_per_step": 0.6}
            | settings
        )
        server, rows = Counts(spec.predict_batch_size), np.random.default_rng(1).permutation(20)
        monkeypatch.setattr(serving, "monotonic_ns", lambda: server.now_ns)
        return spec.schedule(rows), server, rows, serving.served(server, spec, rows)

    return serve


def test_every_answer_is_its_own_request_s_and_ends_where_it_ends(served):
    schedule, _, rows, found = served()
    for row, tokens, answer in zip(rows, schedule.tokens, found.outputs["tokens"], strict=True):
        assert answer[:tokens].tolist() == list(range(100 * row, 100 * row + tokens))
        assert (answer[tokens:] == serving.NO_TOKEN).all()


def test_places_go_on_from_the_prompt_and_an_idle_slot_s_is_the_first(served):
    schedule, server, _, _ = served()
    for held, ages, places in zip(schedule.held, schedule.ages, server.seen, strict=True):
        wanted = np.where(held == IDLE, 0, SPEC.proof_settings["prompt_tokens"] + ages)
        assert places.tolist() == wanted.tolist() and places.dtype == np.int32


def test_waits_are_from_the_arrival_and_to_the_end_of_the_step(served):
    """By hand: steps of 50 us, and one more for each prompt that is read before; arrivals lie within them."""
    schedule, server, _, found = served(arrivals_per_step=2.0)
    lasted = [50_000 + 1_000 * len(admitted) for admitted in schedule.admitted]
    begun = np.cumsum([7, *lasted])
    assert begun[-1] == server.now_ns
    for request, arrived in enumerate(schedule.arrived):
        within = np.flatnonzero(schedule.began <= arrived)[-1]
        into_ns = (arrived - schedule.began[within]) * lasted[within]
        assert found.arrived_ns[request] == pytest.approx(begun[within] + into_ns, abs=2)
        assert found.first_token_ns[request] == begun[schedule.first[request] + 1]
        assert found.last_token_ns[request] == begun[schedule.last[request] + 1]
    waited = found.first_token_ns - found.arrived_ns
    assert (waited > 50_000).all() and waited.max() > 3 * 51_000  # some waited for a slot, and that counts


def test_who_comes_where_nobody_is_waits_for_a_prompt_and_a_step(served):
    schedule, _, _, found = served(arrivals_per_step=0.001)
    assert schedule.idle_slot_steps == 2 * len(schedule.held)  # each was alone
    assert set(found.first_token_ns - found.arrived_ns) == {51_000}
    assert (found.last_token_ns - found.arrived_ns == 1_000 + 50_000 * (schedule.tokens - 1)).all()


def test_slots_that_nobody_held_are_counted_and_stamps_are_told_in_parts(served, monkeypatch):
    schedule, _, _, found = served()
    assert found.slots == {
        "slot_steps": schedule.held.size,
        "idle_slot_steps": int((schedule.held == IDLE).sum()),
    }
    monkeypatch.setattr("suite.served.REQUESTS_PART", 8)
    parts = list(found.stamps())
    assert [len(one["arrived_ns"]) for one in parts] == [8, 8, 4]
    assert [at for one in parts for at in one["last_token_ns"]] == found.last_token_ns.tolist()


def test_nobody_waits_while_the_schedule_is_laid_out(monkeypatch):
    spec = SPEC.with_settings({**SPEC.proof_settings, "requests": 3, "predict_batch_size": 3})
    server, of_schedule = Counts(spec.predict_batch_size), SlotSchedule.admitted.fget

    def slowly(schedule):
        server.now_ns += 1_000_000_000
        return of_schedule(schedule)

    monkeypatch.setattr(SlotSchedule, "admitted", property(slowly))
    monkeypatch.setattr(serving, "monotonic_ns", lambda: server.now_ns)
    found = serving.served(server, spec, np.arange(3))
    assert (found.first_token_ns - found.arrived_ns).max() < 1_000_000_000
