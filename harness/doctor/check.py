"""What a check says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

ENGINE, IN_CONTAINERS = "engine", " in containers"
PLAYBOOK = "in ansible/: ansible-playbook setup.yml --tags"


class Level(StrEnum):
    """WORSE: the suite works, with worse or fewer figures; MISSING: something that is wanted cannot be done."""

    OK = "ok"
    WORSE = "worse"
    MISSING = "missing"


@dataclass(frozen=True)
class Check:
    """One prerequisite: its state, why it matters, and the remedy, a command or the playbook's tag."""

    name: str
    level: Level
    state: str
    why: str
    remedy: str = ""

    @property
    def good(self) -> bool:
        return self.level is Level.OK


def judged(name: str, good: bool, state: str, why: str, remedy: str, otherwise: Level = Level.WORSE) -> Check:
    """The remedy is told only where it is needed."""
    return Check(name, Level.OK if good else otherwise, state, why, "" if good else remedy)


def of_engine(check: Check) -> bool:
    """Whether it matters only to who runs in containers of an engine."""
    return check.name == ENGINE or check.name.endswith(IN_CONTAINERS)
