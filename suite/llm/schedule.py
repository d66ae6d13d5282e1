"""Continuous batching as a schedule of shapes: which request each of a server's slots holds in each step.

The clock counts steps, not seconds: so every framework does the same work in the same shapes, however fast it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

IDLE = -1  # what a slot holds that holds no request


@dataclass(frozen=True)
class SlotSchedule:
    """Requests 0 to n - 1 in the order of their arrival.

    arrived [n]: when, by the clock. tokens [n]: of each answer; its first one comes from the prompt, each other one
    from a step. held [steps, slots]: the request, or IDLE. began [steps]: the clock then, which is one step further at
    the end; while there is nothing to do it jumps.
    """

    arrived: np.ndarray
    tokens: np.ndarray
    held: np.ndarray
    began: np.ndarray

    @cached_property
    def first(self) -> np.ndarray:
        """The step [n] before which a request's prompt is read."""
        found = np.full(len(self.arrived), len(self.held))
        steps, slots = np.nonzero(self.held != IDLE)
        np.minimum.at(found, self.held[steps, slots], steps)
        return found

    @property
    def last(self) -> np.ndarray:
        """The step [n] that writes a request's last token."""
        return self.first + self.tokens - 2

    @property
    def ages(self) -> np.ndarray:
        """How many steps [steps, slots] a slot's request was held before; 0 of an idle slot."""
        steps = np.arange(len(self.held))[:, np.newaxis]
        return np.where(self.held == IDLE, 0, steps - self.first[self.held])

    @property
    def admitted(self) -> list[list[tuple[int, int]]]:
        """Of each step the slots whose prompts are read before it, with their requests."""
        new = (self.held != IDLE) & (self.ages == 0)
        return [
            [(int(slot), int(held[slot])) for slot in np.flatnonzero(of_step)]
            for held, of_step in zip(self.held, new, strict=True)
        ]

    @property
    def idle_slot_steps(self) -> int:
        """Rows of all steps that computed nothing that anybody asked for."""
        return int((self.held == IDLE).sum())


def scheduled(arrived: np.ndarray, tokens: np.ndarray, slots: int) -> SlotSchedule:
    """Who came first is served first, in the first slot that is free; a step begins with whoever is there by then."""
    held, left = np.full(slots, IDLE), np.zeros(slots, int)
    steps, began, clock, coming = [], [], 0.0, 0
    while coming < len(arrived) or left.any():
        if not left.any():
            clock = max(clock, float(arrived[coming]))
        for slot in np.flatnonzero(left == 0):
            is_there = coming < len(arrived) and arrived[coming] <= clock
            held[slot], left[slot] = (coming, tokens[coming] - 1) if is_there else (IDLE, 0)
            coming += is_there
        steps.append(held.copy())
        began.append(clock)
        left, clock = np.maximum(left - 1, 0), clock + 1
    return SlotSchedule(arrived, tokens, np.array(steps), np.array(began))
