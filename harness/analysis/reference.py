"""Against which treatment the others are held."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from packaging.version import InvalidVersion, Version

from harness.errors import UsageError
from harness.suggest import unknown

CHOSEN, DECLARED, OLDEST, LOWEST = "chosen", "declared", "oldest", "lowest"


@dataclass(frozen=True)
class Reference:
    """`treatment` by a rule: CHOSEN by the user, DECLARED before an adaptive campaign began, the OLDEST version, or
    None where each quantity's LOWEST mean is.
    """

    treatment: str | None
    rule: str


def find(
    wanted: str | None, names: Sequence[str], counted: Collection[str], declared: str | None = None
) -> Reference:
    """`names` are the treatments ("torch 2.13.0"), `counted` those of them with a run that counts.

    Versions of one framework alone are held against the oldest that ran: whoever compares them asks what the
    newer one changed. Raises: UsageError for a wish that no treatment fits, or several.
    """
    if wanted is not None:
        return Reference(fitting(wanted, names), CHOSEN)
    if declared is not None:
        return Reference(declared, DECLARED)
    if len(names) > 1 and len({_framework(name) for name in names}) == 1 and counted:
        return Reference(min(counted, key=_age), OLDEST)
    return Reference(None, LOWEST)


def fitting(wanted: str, names: Sequence[str]) -> str:
    """The treatment that a wish ("torch", "torch@2.13.0") means. Raises: UsageError if none fits, or several."""
    wanted = wanted.replace("@", " ")  # as on suite run's command line
    fitting = [wanted] if wanted in names else [name for name in names if _framework(name) == wanted]
    if len(fitting) > 1:
        raise UsageError(f"reference '{wanted}' fits {' and '.join(fitting)}; name the version too")
    if not fitting:
        raise UsageError(unknown("reference", wanted, names))
    return fitting[0]


def _framework(name: str) -> str:
    return name.rpartition(" ")[0]


def _age(name: str) -> tuple[Version, str]:
    """What is no version, as a stored campaign may hold, counts as the oldest."""
    try:
        return Version(name.rpartition(" ")[2]), name
    except InvalidVersion:
        return Version("0.dev0"), name
