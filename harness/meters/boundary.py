"""Whose sum the energy of a run is: the meters' own rule, or the channels that the user names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from harness.errors import UsageError
from harness.records import WALL, Channel, Unavailable
from harness.suggest import hint

PSYS = "psys"
LIMIT = "/power_limit"  # in watts, but of what a GPU may draw, not of what it does
INSIDE = {
    "cpu_package": {"cpu_core", "cpu_uncore"},
    "gpu": {"gpu_memory"},
    "gpu_module": {"gpu", "gpu_memory", "cpu_package", "cpu_core", "cpu_uncore", "dram"},
}  # domains whose energy lies inside another's (rules R2, R18)
NAME_THE_WALL = 'give the plug that you have a table [[http]], or write wall = ["CHANNEL"] (docs/meters.md)'


def chosen(
    asked: str, channels: Sequence[Channel], wall: Sequence[str], lacking: Sequence[Unavailable]
) -> tuple[Channel, ...]:
    """The channels, with those that were asked for as the addends, and no others.

    `asked`: "wall", "psys", or names of channels with commas between them; `wall` are the names that are the wall.
    Raises: UsageError for what is not there, is no energy, or would be counted twice.
    """
    names = _names(asked, channels, wall)
    addends = [one for one in channels if one.name in names]
    _require_there(asked, names, channels, lacking)
    if parts := [one.name for one in addends if asked == WALL and not _is_whole(one)]:
        raise UsageError(
            f"{', '.join(parts)} cannot be the wall: it tells of a part inside; see suite meters"
        )
    for one, other in combinations(addends, 2):
        if why := _twice(one, other, apart=asked == WALL):
            raise UsageError(
                f"one sum cannot hold both {one.name} and {other.name}: {why}; name one of them (rules R2, R10)"
            )
    return tuple(_marked(one, one.name in names, asked) for one in channels)


def _marked(channel: Channel, addend: bool, asked: str) -> Channel:
    scope = {"domain": WALL} if addend and asked == WALL else {}
    return channel.model_copy(update={"boundary": addend, **scope})


def _names(asked: str, channels: Sequence[Channel], wall: Sequence[str]) -> tuple[str, ...]:
    if asked == WALL:
        return tuple(wall)
    if asked == PSYS:  # of the first meter that has it: others show the same register
        found = [one for one in channels if one.domain == PSYS]
        return tuple(one.name for one in found if one.meter == found[0].meter)
    return tuple(filter(None, map(str.strip, asked.split(","))))


def _require_there(
    asked: str, names: Sequence[str], channels: Sequence[Channel], lacking: Sequence[Unavailable]
) -> None:
    offered = [one.name for one in channels if one.unit in ("W", "J") and not one.name.endswith(LIMIT)]
    missing = [name for name in names if name not in offered]
    if names and not missing:
        return
    what = f"no {', '.join(missing)}" if missing else f"nothing that is {asked}"
    near = "".join(hint(name, (WALL, PSYS, *offered)) for name in missing[:1] if asked != WALL)
    silent = [f"{one.meter}: {one.reason}" for one in lacking if _concerns(one, missing)]
    raise UsageError(
        f"the energy was asked of {asked}, but this machine has {what}{''.join(f' ({one})' for one in silent)}; "
        f"watts and joules are told by {', '.join(offered) or 'no meter'}; "
        f"{NAME_THE_WALL if asked == WALL else 'choose among them, or see suite meters for what each lacks'}{near}"
    )


def _concerns(one: Unavailable, missing: Sequence[str]) -> bool:
    """Whether a meter that is not there would have had what is missing: "http plug" has http/plug/power."""
    place = one.meter.replace(" ", "/")
    return any(f"{name}/".startswith(f"{place}/") for name in missing)


def _twice(one: Channel, other: Channel, apart: bool) -> str:
    """Why two channels tell some joules twice, or nothing. `apart`: the user says that the wall is both together."""
    if _is_whole(one) or _is_whole(other):
        if one.meter == other.meter and _is_whole(one) and _is_whole(other):
            return "they are readings of one device" if _device(one) == _device(other) else ""
        return "" if apart else "what the one covers may hold the other"
    for whole, part in ((one, other), (other, one)):
        if part.domain in {*INSIDE.get(whole.domain, ()), *whole.covers}:
            return f"{part.domain} lies inside {whole.domain}"
    if one.domain != other.domain or (one.boundary and other.boundary):
        return ""
    same = one.meter != other.meter or one.boundary != other.boundary or _device(one) == _device(other)
    return f"both are {one.domain}, read twice" if same else ""


def _is_whole(channel: Channel) -> bool:
    """psys, and meters whose scope only their user knows (hwmon, command, http): nobody can tell what is inside."""
    return channel.domain == PSYS or channel.domain.startswith(f"{channel.meter}:")


def _device(channel: Channel) -> str:
    """nvml/gpu-0/energy -> nvml/gpu-0; a name without a device in it is a device of its own."""
    place, _, _ = channel.name.rpartition("/")
    return channel.name if place == channel.meter else place
