"""What may not differ between campaigns that are merged, and on what hardware they ran: pure over records."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from harness.analysis.same_measurement import changed_work
from harness.errors import UsageError
from harness.merging.given import Mergeable
from harness.records import CampaignRecord, PlanRecord

# Of a plan: how many blocks each machine carried out, what it lacked, and how long a run was thought to take.
FREE = {"repetitions", "skipped", "expected_run_s", "treatments"}
HARDWARE = ("architecture", "cpu_model", "physical_cores", "logical_cpus")
SET_UP = ("kernel", "microcode", "firmware", "board", "memory_modules", "os")
MEMORY_SHARE = 0.03  # firmware keeps some for itself, on machines of one kind not always as much
SHOWN = 60  # characters of a value


def require_one_plan(found: Sequence[Mergeable]) -> None:
    """Raises: UsageError with all that differs, in one line."""
    first = found[0]
    for other in found[1:]:
        if why := list(differing(first.record, other.record)):
            raise UsageError(
                f"{first.name} and {other.name} are no campaigns of one plan: {'; '.join(why)} differ; "
                "run the same plan, with the same seed and environments, on each machine"
            )


def differing(one: CampaignRecord, other: CampaignRecord) -> Iterator[str]:
    """What makes their runs other work, or another protocol."""
    yield from _plan(one.plan, other.plan)
    if one.isolation != other.isolation:
        yield f"the isolation ({one.isolation}, {other.isolation})"
    yield from dict.fromkeys([*changed_work(one, other), *changed_work(other, one)])


def _plan(one: PlanRecord, other: PlanRecord) -> Iterator[str]:
    ours, theirs = ({t.model_dump_json(): t for t in plan.treatments} for plan in (one, other))
    if left := [{**ours, **theirs}[key] for key in ours.keys() ^ theirs.keys()]:
        words = sorted({f"{t.label} {json.dumps(t.settings, sort_keys=True)}" for t in left})
        yield f"the treatments ({_short('; '.join(words))})"
    for name in sorted(set(type(one).model_fields) | set(type(other).model_fields) - FREE):
        values = [getattr(plan, name, None) for plan in (one, other)]
        if name not in FREE and values[0] != values[1]:
            yield f"the plan's {name} ({_short(values[0])}, {_short(values[1])})"


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def require_same_hardware(found: Sequence[Mergeable]) -> None:
    """Raises: UsageError naming what differs: what one machine costs says nothing of another kind's (rule R40)."""
    for name, values in hardware([one.record for one in found]).items():
        (one, its), (other, others) = _first_two([str(value) for value in values])
        raise UsageError(
            f"{found[one].name} and {found[other].name} ran on different hardware ({name}: {_short(its)}, "
            f"{_short(others)}); --different-hardware merges them all the same, and the report says so"
        )


def _first_two(values: Sequence[str]) -> tuple[tuple[int, str], tuple[int, str]]:
    place = next(n for n, value in enumerate(values) if value != values[0])
    return (0, values[0]), (place, values[place])


def hardware(records: Sequence[CampaignRecord]) -> dict[str, list[Any]]:
    """What of the hardware is not the same -> the value of each campaign."""
    found = _unlike(records, {name: _fact(name) for name in HARDWARE})
    sizes = [_memory(one) for one in records]
    if max(sizes) - min(sizes) > MEMORY_SHARE * max(sizes):
        found["memory_bytes"] = list(sizes)
    return found | _unlike(records, {"gpus": _gpus, "energy channels": _boundary})


def set_up(records: Sequence[CampaignRecord]) -> dict[str, list[Any]]:
    """The same of what somebody chose: kernels, firmware, governors."""
    names = dict.fromkeys(name for one in records for name in _settings(one))
    settings = {name: _setting(name) for name in names}
    return _unlike(records, {**{name: _fact(name) for name in SET_UP}, **settings})


def _unlike(
    records: Sequence[CampaignRecord], facts: Mapping[str, Callable[[CampaignRecord], Any]]
) -> dict[str, list[Any]]:
    values = {name: [fact(one) for one in records] for name, fact in facts.items()}
    return {name: each for name, each in values.items() if any(one != each[0] for one in each)}


def _fact(name: str) -> Callable[[CampaignRecord], Any]:
    return lambda record: record.machine.get(name)


def _setting(name: str) -> Callable[[CampaignRecord], Any]:
    return lambda record: _settings(record).get(name)


def _settings(record: CampaignRecord) -> dict[str, Any]:
    """A GPU's own name, by which its settings are kept, is no setting."""
    found = record.machine.get("settings")
    settings = dict(found) if isinstance(found, dict) else {}
    if isinstance(settings.get("gpus"), dict):
        settings["gpus"] = list(settings["gpus"].values())
    return settings


def _memory(record: CampaignRecord) -> float:
    size = record.machine.get("memory_bytes")
    return float(size) if isinstance(size, int | float) else 0.0


def _gpus(record: CampaignRecord) -> list[Any]:
    gpus = record.machine.get("gpus")
    several = gpus if isinstance(gpus, list) else []
    return [gpu.get("name") if isinstance(gpu, dict) else gpu for gpu in several]


def _boundary(record: CampaignRecord) -> list[tuple[str, str, str]]:
    return sorted((c.meter, c.domain, str(c.provenance)) for c in record.channels if c.boundary)
