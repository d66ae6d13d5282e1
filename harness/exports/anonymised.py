"""A copy of a campaign without what identifies its machine and its owner, for as long as something is made of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from harness import store
from harness.analysis.function_types import TYPES_FILE
from harness.errors import CampaignError
from harness.exports import anonymous, anonymous_picture
from harness.exports.anonymous import Names
from harness.exports.bundle import MOST_BYTES, names_of
from harness.files.untrusted import parse_json, printable, read_beneath
from harness.profiling.function_files import CALLS_FILE, FUNCTIONS_FILE
from harness.profiling.operator_files import OPERATORS_FILE

TABLES = (TYPES_FILE, FUNCTIONS_FILE, CALLS_FILE, OPERATORS_FILE)


@contextmanager
def anonymised(folder: Path, wanted: bool = True) -> Iterator[Path]:
    """The folder of a copy of the campaign in `folder`; that folder itself where nobody wants another.

    Whoever reads the copy, for whatever purpose, can tell nothing that it does not hold.
    Raises: CampaignError if there is no campaign.
    """
    if not wanted:
        yield folder
        return
    with TemporaryDirectory(prefix="joulemark-") as place:
        yield _copied(folder.resolve(), Path(place))


def _copied(folder: Path, place: Path) -> Path:
    campaign = store.load_campaign(folder)
    names = anonymous.names_here(folder) | anonymous.names_in(campaign.record.model_dump(mode="json"))
    names |= anonymous.versions([campaign.record.made_by, *(run.record.made_by for run in campaign.runs)])
    copy = place / anonymous.of_text(folder.name, names)
    for name in _names(folder):
        target = copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        _copy(folder, name, target, names)
    store.write_record(copy / store.CAMPAIGN_FILE, anonymous.of_record(campaign.record, names))
    for run in campaign.runs:
        record = anonymous.of_record(store.stored_record(run.folder), names)
        store.write_record(copy / run.folder.relative_to(folder) / store.RUN_FILE, record)
    return copy


def _names(folder: Path) -> Iterator[str]:
    """Of all but the records."""
    own = (store.CAMPAIGN_FILE, store.RUN_FILE)
    of_sources = f"{store.SOURCES}/"  # their records, too, are cleaned as texts
    yield from (n for n in names_of(folder) if PurePosixPath(n).name not in own or n.startswith(of_sources))


def _copy(folder: Path, name: str, target: Path, names: Names) -> None:
    """A kind of file that is not known stays behind: nobody knows what it tells.

    Raises: UnsafeFile for what is a link or no file, CampaignError for what is not of its kind.
    """
    content, kind = read_beneath(folder, name, MOST_BYTES), PurePosixPath(name).suffix
    if kind in (".parquet", ".npz"):  # numbers, and the names of channels and answers
        target.write_bytes(content)
    elif kind == ".json":
        target.write_text(_json(folder / name, content, names))
    elif kind == ".svg":
        target.write_text(_svg(folder / name, content, names))
    elif kind in (".jsonl", ".log", ".dot", ".folded") or PurePosixPath(name).name in TABLES:
        clean = anonymous.of_lines if kind == ".jsonl" else anonymous.of_text
        target.write_text(clean(content.decode(errors="replace"), names))


def _svg(path: Path, content: bytes, names: Names) -> str:
    try:
        return anonymous_picture.of_svg(content, names)
    except ValueError as error:
        reason = printable(error)[:200]
        raise CampaignError(f"{printable(path)} is no call graph of ours ({reason}): remove it") from None


def _json(path: Path, content: bytes, names: Names) -> str:
    try:
        return json.dumps(anonymous.of_value(parse_json(content), names), indent=1) + "\n"
    except (ValueError, RecursionError) as error:
        raise CampaignError(
            f"{printable(path)} is no JSON that can be read: {printable(error)[:200]}"
        ) from None
