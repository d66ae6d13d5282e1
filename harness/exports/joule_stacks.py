"""Joules of stacks as other programs draw them: folded lines, and speedscope's file format."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from harness.analysis.profiled import Profiles
from harness.attribution.functions import MORE
from harness.errors import UsageError
from harness.exports.told_instead import told_instead

MJ_PER_J = 1000
SCHEMA = "https://www.speedscope.app/file-format-schema.json"
UNIT = "none"  # the format knows no joules: the profile's name says what its numbers are

Stacks = Mapping[str, float]  # joules, as in FunctionCosts.stacks


def folded(title: str, stacks: Stacks) -> str:
    """A line for each stack, and its millijoules, as flamegraph.pl takes them; a title has no place in it."""
    return "".join(f"{stack} {round(joules * MJ_PER_J)}\n" for stack, joules in sorted(stacks.items()))


def speedscope(title: str, stacks: Stacks) -> str:
    """One sampled profile whose weights are joules."""
    listed = sorted(stacks.items())
    names = dict.fromkeys(name for stack, _ in listed for name in stack.split(MORE))
    numbers = {name: number for number, name in enumerate(names)}
    weights = [joules for _, joules in listed]
    profile: dict[str, Any] = {
        "type": "sampled",
        "name": f"{title}, joules",
        "unit": UNIT,
        "startValue": 0,
        "endValue": sum(weights),
        "samples": [[numbers[name] for name in stack.split(MORE)] for stack, _ in listed],
        "weights": weights,
    }
    file = {
        "$schema": SCHEMA,
        "name": title,
        "exporter": "joulemark",
        "activeProfileIndex": 0,
        "shared": {"frames": [{"name": name} for name in names]},
        "profiles": [profile],
    }
    return json.dumps(file, separators=(",", ":"), allow_nan=False) + "\n"


FORMS: Mapping[str, tuple[str, Callable[[str, Stacks], str]]] = {
    "folded": ("folded", folded),
    "speedscope": ("speedscope.json", speedscope),
}  # by their name: how their files end, and what writes them


def files(profiles: Profiles, form: str) -> Iterator[tuple[str, bytes]]:
    """Name and content of each profiled run's file. Raises: UsageError where no run has been profiled."""
    if not profiles.told:
        reasons = [one.reason for one in profiles.runs]
        raise UsageError(
            f"no run of the campaign tells its functions: {(reasons or ['suite profile looks at them'])[0]}"
            f"{told_instead(profiles.campaign)}"
        )
    ending, written = FORMS[form]
    for one in profiles.told:
        if one.costs is not None:
            title = f"{one.name}: {one.work.title}"
            yield (
                f"{one.run.folder.name}.{ending}",
                written(title, one.costs.stacks).encode("utf-8", "replace"),
            )
