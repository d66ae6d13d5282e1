"""Files of weights, named by their checksums in a plan's `weights` or by --pretrained; none is read here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from harness.errors import UsageError
from harness.inventory import specs
from harness.planning.plan_files import PlanFile
from suite.pretrained import SHA256
from suite.spec import Spec

SETTING = specs.PRETRAINED


def parse(words: Iterable[str]) -> dict[str, Path]:
    """SHA256=FILE... -> {checksum: file}. Raises: UsageError for other words, or two files of one checksum."""
    found: dict[str, Path] = {}
    for word in words:
        sha256, equals, file = word.partition("=")
        if not equals or not file or not SHA256.fullmatch(sha256.lower()):
            raise UsageError(f"--pretrained takes SHA256=FILE, not {word!r}: suite weights FILE prints it")
        if sha256.lower() in found:
            raise UsageError(f"--pretrained names {sha256.lower()} twice: one file has it")
        found[sha256.lower()] = Path(file)
    return found


def asked(file: PlanFile, named: Mapping[str, Path]) -> PlanFile:
    """What the user names comes before what the plan names.

    Raises: UsageError for a checksum without a file, or a file whose checksum is no level.
    """
    if named:
        levels = {**file.settings, SETTING: tuple(named)}
        file = file.model_copy(
            update={"settings": levels, "weights": {sha256: str(path) for sha256, path in named.items()}}
        )
    wanted = {str(level) for level in file.settings.get(SETTING, ()) if level != ""}
    if lost := sorted(wanted - file.weights.keys()):
        raise UsageError(
            f"no file is named for pretrained {lost[0]!r}: add it to [weights] of the plan, SHA-256 = FILE"
        )
    if idle := sorted(file.weights.keys() - wanted):
        raise UsageError(
            f"weights names a file for {idle[0]}, which is no level of pretrained in [settings]: add it"
        )
    return file


def require_takers(chosen: Iterable[Spec], known: Iterable[Spec], levels: Iterable[object]) -> None:
    """Raises: UsageError naming who of the chosen takes no file's weights, where levels name one, and who does."""
    if not any(levels):
        return
    if unable := [one.name for one in chosen if not takes_weights(one)]:
        able = ", ".join(one.name for one in known if takes_weights(one))
        raise UsageError(
            f"{unable[0]} takes no pretrained weights: name those that do by -w, which are {able}"
        )


def takes_weights(spec: Spec) -> bool:
    return SETTING in vars(spec)
