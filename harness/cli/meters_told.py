"""What measures a campaign, and what this machine could measure, as a person reads it."""

from __future__ import annotations

from harness.cli import screen
from harness.meters import Meters
from harness.records import DEFAULT_BOUNDARY, Provenance


def print_meters(meters: Meters, boundary: str) -> None:
    """The channels of the run's energy, and the `boundary` that was asked for, where it was."""
    if boundary != DEFAULT_BOUNDARY:
        screen.say(f"energy of the boundary {boundary}, as asked for: {meters.boundary}")
    for channel in meters.channels:
        if channel.boundary:
            note = f" ({channel.note})" if channel.note else ""
            screen.say(f"energy: {channel.provenance} by {channel.name}{note}")
    if not any(c.boundary and c.provenance is Provenance.MEASURED for c in meters.channels):
        screen.say("note: nothing here measures energy; suite meters says why, and what to do")


def print_channels(meters: Meters) -> None:
    table = screen.table("channel", "unit", "scope", "provenance", "updates", "in the energy")
    for one in meters.channels:
        updates = "unknown" if one.update_s is None else f"every {one.update_s:.3g} s"
        row = (one.name, one.unit, one.domain, one.provenance, updates, "yes" if one.boundary else "no")
        screen.add_row(table, *row)
    screen.console.print(table)
    for one in meters.channels:
        if one.note:
            screen.say(f"{one.name}: {one.note}")
    for lacking in meters.unavailable:
        screen.say(f"no {lacking.meter}: {lacking.reason}")
        screen.say(f"  remedy: {lacking.remedy}")
