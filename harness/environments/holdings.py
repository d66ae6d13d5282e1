"""What an image may hold, file by file, and which of what it holds is not that; pure but for reading wheels."""

from __future__ import annotations

import email.parser
import hashlib
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from packaging.utils import canonicalize_name

from harness.environments import wheel_files
from harness.environments.contents import FILE, FOLDER, LINK, Entry
from harness.environments.pins import Pin
from harness.environments.places import (
    ACTIVATION,
    BILL,
    BY_PIP,
    BY_USERADD,
    CONFIGURATION,
    HOME,
    LINKS,
    PYTHONS,
    only_starts,
    ours,
    source_of,
)
from harness.environments.recipe import Recipe
from harness.environments.wheel_files import BIN, SITE, Wheel


@dataclass(frozen=True)
class Distribution:
    """An installed package as its own folder tells it; `record`: place -> sha256, None where it says none."""

    name: str
    version: str
    info: str
    record: Mapping[str, str | None]


@dataclass(frozen=True)
class Holdings:
    """All that lies in an image; `base` is what lies in its base, None where that is not here."""

    entries: Mapping[str, Entry]
    recipe: Recipe
    wheels: Mapping[str, Wheel]  # by the package's name: those at hand
    base: Mapping[str, Entry] | None
    wrong_bytecode: set[str] = field(default_factory=set)

    @cached_property
    def distributions(self) -> list[Distribution]:
        infos = (place.rpartition("/")[0] for place in self.entries if place.endswith(".dist-info/METADATA"))
        return [self._distribution(info) for info in infos if posixpath.dirname(info) == str(SITE)]

    def _distribution(self, info: str) -> Distribution:
        told = email.parser.BytesHeaderParser().parsebytes(self._content(f"{info}/METADATA"))
        lines = wheel_files.record(self._content(f"{info}/RECORD").decode(errors="replace"))
        record = {posixpath.normpath(posixpath.join(SITE, name)): digest for name, digest in lines}
        return Distribution(canonicalize_name(str(told["Name"])), str(told["Version"]), info, record)

    def _content(self, place: str) -> bytes:
        entry = self.entries.get(place)
        return (entry.content if entry else None) or b""

    @cached_property
    def listed(self) -> dict[str, set[str]]:
        """Every place that a recipe, a wheel or a RECORD names -> the hashes that it may have."""
        found = {place: {hashlib.sha256(content).hexdigest()} for place, content in self.recipe_files.items()}
        for one in self.distributions:
            wheel = self.wheels.get(one.name)
            sums = wheel.sums if wheel else {place: digest for place, digest in one.record.items() if digest}
            for place in (*(wheel.files if wheel else ()), *sums):
                found.setdefault(place, set()).update({sums[place]} if place in sums else ())
            for name, sums_of_pip in BY_PIP.items():
                found.setdefault(f"{one.info}/{name}", set()).update(sums_of_pip)
        return found

    @cached_property
    def recipe_files(self) -> dict[str, bytes]:
        """Place inside -> content of what the Dockerfile copies."""
        renamed = {f"images/{self.recipe.framework}/{self.recipe.lock.name}": "requirements.lock"}
        renamed |= {
            f"images/{self.recipe.framework}/manifest.toml": "manifest.toml",
            "images/bom.py": "bom.py",
        }
        return {
            f"{HOME}/{renamed.get(name, name)}": content
            for name, content in self.recipe.files.items()
            if name in renamed or name.startswith("suite/")
        }

    def source(self, place: str) -> bytes | None:
        """A source that is trusted: the checkout's, or of a wheel that the lock allows."""
        if place in self.recipe_files:
            return self.recipe_files[place]
        holder = next((one for one in self.wheels.values() if place in one.files), None)
        return holder.content(place) if holder else None

    # Each of the following yields places, for one line.

    def altered(self) -> Iterator[str]:
        """Listed files whose content is another, and scripts that do not only start what they are named after."""
        for place, sums in self.listed.items():
            entry = self.entries.get(place)
            if entry and not self._is_script(place) and not self._as_listed(place, entry, sums):
                yield place
        yield from (
            place for place in self.entries if self._is_script(place) and not self._starts_only(place)
        )

    def _as_listed(self, place: str, entry: Entry, sums: set[str]) -> bool:
        if entry.kind != FILE:
            return False
        holders = (one for one in self.wheels.values() if place in one.files)
        return entry.sha256 in sums or any(one.holds(place, entry.sha256) for one in holders)

    def lacking(self) -> Iterator[str]:
        optional = {f"{one.info}/{name}" for one in self.distributions for name in BY_PIP}
        yield from (place for place in self.listed if place not in self.entries and place not in optional)

    def unlisted(self) -> Iterator[str]:
        """What lies in our folders and nothing names: a .pth, a sitecustomize.py, a module before its namesake."""
        records = {f"{one.info}/RECORD" for one in self.distributions}
        for place, entry in self.entries.items():
            known = place in self.listed or place in records or self._is_made(place, entry)
            if ours(place) and entry.kind != FOLDER and not known:
                yield place

    def _is_made(self, place: str, entry: Entry) -> bool:
        """By Python or pip, beside what is listed."""
        if entry.kind == LINK:
            return entry.target in LINKS.get(place, ())
        if place.endswith(".pyc"):
            return source_of(place) in self.listed
        return entry.kind == FILE and (place in ACTIVATION | {BILL, CONFIGURATION} or self._is_script(place))

    def _is_script(self, place: str) -> bool:
        named = (
            self.wheels[one.name].scripts if one.name in self.wheels else one.record
            for one in self.distributions
        )
        return place.startswith(f"{BIN}/") and any(place in scripts for scripts in named)

    def _starts_only(self, place: str) -> bool:
        content = self._content(place)
        for wheel in (one for one in self.wheels.values() if place in one.files):
            if content.partition(b"\n")[2] == wheel.content(place).partition(b"\n")[2]:
                return True
        return only_starts(content)

    def forged_records(self) -> Iterator[str]:
        """RECORDs that say of a file what the wheel does not."""
        for one in self.distributions:
            wheel = self.wheels.get(one.name)
            if wheel and any(not self._told_by(wheel, place, one.record.get(place)) for place in wheel.files):
                yield f"{one.info}/RECORD"

    def _told_by(self, wheel: Wheel, place: str, digest: str | None) -> bool:
        """A line without a hash is so because the wheel gives none."""
        same = digest == wheel.sums.get(place)
        return same or place in wheel.scripts or (digest is not None and wheel.holds(place, digest))

    def configuration_is_sound(self) -> bool:
        """pyvenv.cfg decides from where Python takes its own library."""
        lines = self._content(CONFIGURATION).decode(errors="replace").splitlines()
        pairs = [tuple(part.strip() for part in line.split("=", 1)) for line in lines if "=" in line]
        homes = {("home", posixpath.dirname(one)) for one in PYTHONS if "/" in one}
        told = [pair for pair in pairs if pair[0].lower() in ("home", "include-system-site-packages")]
        return len(told) == 2 and told[0] in homes and told[1] == ("include-system-site-packages", "false")

    def of_the_base(self) -> Iterator[str]:
        """What lies outside our folders otherwise than in the base; nothing where the base is not here."""
        if self.base is None:
            return
        places = {*self.entries, *self.base}
        for place in sorted(one for one in places if not ours(one) and one not in BY_USERADD):
            entry, before = self.entries.get(place), self.base.get(place)
            if entry != before and not (before is None and source_of(place) in self.base):
                yield place


def pins_differing(pins: list[Pin], installed: list[Distribution]) -> tuple[list[str], list[str]]:
    """Packages that are not as the lock says, and those that it does not name."""
    wanted = {pin.name: pin.version for pin in pins}
    found = {one.name: one.version for one in installed}
    wrong = sorted(name for name, version in wanted.items() if found.get(name) != version)
    twice = {name for name in found if sum(one.name == name for one in installed) > 1}
    return wrong, sorted(set(found) - set(wanted) | twice)
