"""That a command is at work, on what, and for how long, while it says nothing yet: on a terminal alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from harness.store import Campaign
from reports.formats import plural


@contextmanager
def working(what: str, campaign: Campaign) -> Iterator[None]:
    """A line on standard error, gone when it is done; none where that is a file: a log needs no clock."""
    if not sys.stderr.isatty():
        yield
        return
    words = escape(f"{what} of {plural(len(campaign.runs), 'run')}")
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        shown.add_task(words, total=None)
        yield
