"""A worker from its start to its end: no signal comes between what was started and who will end it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from harness.environments import interrupts
from harness.environments.base import Environment, Job, RunningJob


@contextmanager
def started(environment: Environment, job: Job) -> Iterator[RunningJob]:
    """Starts a worker, and stops it whatever happens. Raises: what the environment's `start` does."""
    with ExitStack() as ending:
        with interrupts.held():
            running = environment.start(job)
            ending.callback(_stop, running)
        yield running


def _stop(running: RunningJob) -> None:
    with interrupts.held():
        running.stop()
