"""What `suite export` writes: a campaign's files for other programs, one after the other."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from harness import store
from harness.analysis.narrowed import narrowed
from harness.analysis.narrowing import KINDS, Narrowing
from harness.analysis.profiled import Profiles
from harness.analysis.stated import Factor
from harness.analysis.summary import Analysis, analyse
from harness.cli import per_kwh
from harness.cli.working import working
from harness.cli.writing import require_place, writable
from harness.errors import UnsafeFile, UsageError
from harness.exports import joule_stacks
from harness.exports.anonymised import anonymised
from harness.exports.bundle import SUFFIX, Origin, write_bundle
from harness.exports.frames import ENCODINGS, frames
from harness.exports.partitioned import partitioned
from harness.exports.told_instead import told_instead
from harness.files import object_store
from harness.files.shown_urls import shown
from harness.files.whole_files import replacing
from harness.store import Campaign
from reports.contents import Section, sections_of
from reports.latex import latex
from reports.methods import methods
from reports.render import render
from reports.stills import FORMS, stills
from reports.wording import energy_statement

FIGURES, LATEX_FILE = "figures", "costs.tex"
METHODS_FILE = "methods.txt"
DIGITS = 16  # of a bundle's SHA-256 in its name
BUNDLE, LATEX, METHODS = "bundle", "latex", "methods"
DATASET = "dataset"
TABLES = (*ENCODINGS, DATASET)
FORMS_WRITTEN = (*TABLES, LATEX, *FORMS, METHODS, *joule_stacks.FORMS, BUNDLE)

NOTHING = {LATEX: "there is no table of costs", METHODS: "there are no methods to tell"}


def written(folder: Path, form: str, output: str | None, anonymous: bool, **asked: Any) -> Iterator[str]:
    """Each file once it lies there. `asked`: of analyse. Raises: UsageError if there is nothing to write."""
    if output is None or not object_store.is_url(output):
        here = _written_here(folder, form, None if output is None else Path(output), anonymous, **asked)
        yield from (str(path.absolute()) for path in here)
    elif form != BUNDLE:
        raise UsageError(f"only a bundle goes to a URL, as one file: --format {BUNDLE}")
    else:
        object_store.require_writable(output)
        with TemporaryDirectory(prefix="joulemark-") as place:
            for path in _written_here(folder, form, Path(place), anonymous, **asked):
                yield _put(path, output)


def _put(bundle: Path, url: str) -> str:
    """Named by what it holds, so that campaigns of one name from many machines do not meet; told with its URL."""
    with bundle.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:DIGITS]
    name = f"{url.rstrip('/')}/{bundle.name.removesuffix(SUFFIX)}-{digest}{SUFFIX}"
    new, told = object_store.put_new(bundle, name), shown(name)
    return told if new else f"{told} (it was there already)"


def _written_here(
    folder: Path, form: str, output: Path | None, anonymous: bool, **asked: Any
) -> Iterator[Path]:
    narrowing = Narrowing.of(asked)
    stated = per_kwh.taken(asked)
    asked = {name: value for name, value in asked.items() if name not in KINDS}
    if form == BUNDLE and not narrowing.everything:
        raise UsageError("a bundle holds the whole campaign: leave out -w, -f and -s")
    if form == DATASET and not narrowing.everything:
        raise UsageError(
            "a data set holds whole campaigns, and would lose the rest of this one: leave out -w, -f and -s"
        )
    if form == BUNDLE and stated:
        raise UsageError("a bundle's report is of its campaign alone: leave out --carbon and --price")
    if stated and form not in (*TABLES, LATEX):
        raise UsageError(f"{form} tells no emissions or money: leave out --carbon and --price")
    if not narrowing.everything:
        require_place(output)
    with anonymised(folder, anonymous) as source:
        campaign = store.load_campaign(source)
        if form == BUNDLE:
            with working("bundle", campaign):
                path = _bundle(campaign, output or folder.resolve().parent, asked)
            yield path
        else:
            place = output or _own_place(folder, form)
            with working("export", campaign):
                files = _files(campaign, form, analyse(campaign, **asked), narrowing, stated)
            yield from _written(files, place, _nothing(campaign, form))


def _own_place(campaign: Path, form: str) -> Path:
    """In the campaign. Raises: UnsafeFile where a stranger's campaign has a link in its place."""
    if form not in (*FORMS, DATASET):
        return campaign
    if (place := campaign / (DATASET if form == DATASET else FIGURES)).is_symlink():
        raise UnsafeFile(f"{place} is not written to: it is a link; name a folder with -o")
    return place


def _bundle(campaign: Campaign, place: Path, asked: dict[str, Any]) -> Path:
    folder = campaign.folder.resolve()
    path, report = place / f"{folder.name}{SUFFIX}", render(campaign, **asked)
    with writable(path):
        place.mkdir(parents=True, exist_ok=True)
        write_bundle(folder, report, Origin(**asked), path)
    return path


def _files(
    campaign: Campaign, form: str, whole: Analysis, narrowing: Narrowing, stated: tuple[Factor, ...]
) -> Iterable[tuple[str, bytes]]:
    campaign, analysis = narrowed(campaign, replace(whole, stated=stated), narrowing)
    if form in ENCODINGS:
        return ENCODINGS[form](frames(campaign, analysis)).items()
    if form == DATASET:
        return partitioned(frames(campaign, analysis), campaign.record).items()
    if form in joule_stacks.FORMS:
        return joule_stacks.files(analysis.profiles, form)
    if form == METHODS:
        return _methods(campaign, analysis)
    sections = sections_of(analysis, campaign)
    return _latex(campaign, sections) if form == LATEX else stills(sections, form)


def _latex(campaign: Campaign, sections: list[Section]) -> Iterator[tuple[str, bytes]]:
    if tables := [table for one in sections if one.name == "costs" for _, table in one.tables]:
        yield LATEX_FILE, latex(tables, energy_statement(campaign)).encode("utf-8", "replace")


def _methods(campaign: Campaign, analysis: Analysis) -> Iterator[tuple[str, bytes]]:
    if found := methods(analysis, campaign):
        yield METHODS_FILE, f"{found.text}\n\n{found.bibtex}\n".encode("utf-8", "replace")


def _nothing(campaign: Campaign, form: str) -> str:
    """Why there is nothing of this form, and where what there is lies instead."""
    what = NOTHING.get(form, "there is nothing to draw")
    if not Profiles(campaign).alone:
        return f"{what}: no run of the campaign counts (suite report says why)"
    return f"{what}: no run of the campaign was measured{told_instead(campaign)}"


def _written(files: Iterable[tuple[str, bytes]], place: Path, nothing: str) -> Iterator[Path]:
    """Raises: UsageError if there is nothing to write."""
    path = None
    for name, content in files:
        path = place / name
        with writable(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as file:
                file.write(content)
        yield path
    if path is None:
        raise UsageError(nothing)
