"""The loop of a server, one for all frameworks: before each step prompts are read into free slots, then all go on."""

from __future__ import annotations

from time import monotonic_ns
from typing import Any, Protocol

import numpy as np

from suite.llm.schedule import IDLE, SlotSchedule
from suite.served import Served

NO_TOKEN = -1  # beyond an answer's end


class SlotServer(Protocol):
    """Slots of a fixed number, each with a cache and a last token of its own, on the device."""

    def read(self, row: int, slot: int) -> None:
        """The prompt of this row of the data into a slot, where nothing is left of what it held before."""

    def step(self, places: np.ndarray) -> np.ndarray:
        """Reads every slot's last token, at its place [slots], and writes the next: both, on the host [2, slots]."""


def served(server: SlotServer, spec: Any, rows: np.ndarray) -> Served:
    """`spec`: an Llm; `rows` [n]: of the data, the requests' in the order of their arrival."""
    schedule = spec.schedule(rows)
    places = (spec.prompt_tokens + schedule.ages).astype(np.int32)
    places[schedule.held == IDLE] = 0  # which sees only itself
    several = schedule.admitted  # before the clock of requests runs: it is no part of the first one's wait
    told, ended_ns = [], [monotonic_ns()]
    for admitted, of_step in zip(several, places, strict=True):
        for slot, request in admitted:
            server.read(int(rows[request]), slot)
        told.append(server.step(of_step))
        ended_ns.append(monotonic_ns())
    return _as_served(schedule, _tokens(schedule, np.array(told), spec.new_tokens), np.array(ended_ns))


def _as_served(schedule: SlotSchedule, tokens: np.ndarray, ended_ns: np.ndarray) -> Served:
    """An arrival within a step lies as far between its ends as the clock says."""
    begun_ns, ends_ns = ended_ns[:-1], ended_ns[1:]
    after_ns = np.interp(schedule.arrived, schedule.began, begun_ns - begun_ns[0])
    return Served(
        {"tokens": tokens},
        begun_ns[0] + after_ns.astype(np.int64),
        ends_ns[schedule.first],
        ends_ns[schedule.last],
        {"slot_steps": schedule.held.size, "idle_slot_steps": schedule.idle_slot_steps},
    )


def _tokens(schedule: SlotSchedule, told: np.ndarray, longest: int) -> np.ndarray:
    """[n, longest], of what each step [steps, 2, slots] read and wrote."""
    found = np.full((len(schedule.tokens), longest), NO_TOKEN, np.int32)
    steps, slots = np.nonzero(schedule.held != IDLE)
    requests, ages = schedule.held[steps, slots], schedule.ages[steps, slots]
    for word in (0, 1):  # what was read was written a step before, or by the prompt
        found[requests, ages + word] = told[steps, word, slots]
    return found
