"""Against which treatment the others are held: chosen before the data, never by what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from packaging.version import InvalidVersion, Version

from harness.analysis.groups import Group
from harness.errors import UsageError
from harness.suggest import hint

CHOSEN, DECLARED, OLDEST, FIRST = "chosen", "declared", "oldest", "first"


@dataclass(frozen=True)
class Reference:
    """`treatment` by a rule.

    CHOSEN by the user, DECLARED before an adaptive campaign began, the OLDEST version, or the FIRST of the plan.
    """

    treatment: str
    rule: str

    def of(self, group: Group) -> str:
        """The group's own: its first treatment where it lacks this one."""
        return self.treatment if self.treatment in group.treatments else group.treatments[0]


def find(wanted: str | None, names: Sequence[str], declared: str | None = None) -> Reference:
    """`names` are the plan's treatments ("torch 2.13.0"), in its order; without any there is nothing to refer to.

    Versions of one framework alone are held against the oldest: whoever compares them asks what the newer one changed.
    Raises: UsageError for a wish that no treatment fits, or several.
    """
    if wanted is not None:
        return Reference(fitting(wanted, names), CHOSEN)
    if declared is not None:
        return Reference(declared, DECLARED)
    if len(names) > 1 and len({_framework(name) for name in names}) == 1:
        return Reference(min(names, key=_age), OLDEST)
    return Reference(next(iter(names), ""), FIRST)


def fitting(wanted: str, names: Sequence[str], what: str = "reference") -> str:
    """The treatment that a wish ("torch", "torch@2.13.0") means. Raises: UsageError if none fits, or several."""
    wanted = wanted.replace("@", " ")  # as on suite run's command line
    fitting = [wanted] if wanted in names else [name for name in names if _framework(name) == wanted]
    if len(fitting) > 1:
        raise UsageError(f"{what} '{wanted}' fits {' and '.join(fitting)}; name the version too")
    if not fitting:
        heads = dict.fromkeys(map(_framework, names))
        near = hint(wanted, heads) or hint(wanted, names)
        raise UsageError(f"unknown {what} '{wanted}'{near} (known: {', '.join(names)})")
    return fitting[0]


def _framework(name: str) -> str:
    return name.rpartition(" ")[0]


def _age(name: str) -> tuple[Version, str]:
    """What is no version, as a stored campaign may hold, counts as the oldest."""
    try:
        return Version(name.rpartition(" ")[2]), name
    except InvalidVersion:
        return Version("0.dev0"), name
