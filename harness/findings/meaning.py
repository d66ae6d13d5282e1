"""What is known of a code, whoever finds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from harness.findings.codes import Severity


class Voided(StrEnum):
    """The costs whose verdicts a finding speaks against."""

    ALL = "all"
    ENERGY = "energy"
    NET_ENERGY = "net energy"
    TIME = "time"


@dataclass(frozen=True)
class Meaning:
    """`advice`: what to do, where whoever finds it has nothing closer to say; `rules`: of docs/rules.md, that it keeps.

    `severities`: none where no run and no campaign carries it; more than one where it depends on what was found.
    `voids`: what it was seen in ("": anything) -> whose verdicts it withholds; `withholds`: the same in words.
    """

    means: str
    severities: tuple[Severity, ...]
    advice: str
    rules: tuple[str, ...] = ()
    withholds: str = ""
    voids: Mapping[str, Voided] = field(default_factory=dict)
