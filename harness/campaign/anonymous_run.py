"""A run of an anonymous campaign: what the worker said goes the way of what is said of it."""

from __future__ import annotations

from pathlib import Path

from harness import store
from harness.campaign import begun, builds
from harness.exports import anonymous
from harness.files import whole_files
from harness.records import RunRecord
from harness.version import without_commit
from harness.worker.events import EVENTS_FILE


def cleaned(campaign: Path, folder: Path, record: RunRecord) -> RunRecord:
    """The record without names; the texts in the run's `folder` lose theirs, too."""
    names = anonymous.names_here(campaign) | anonymous.names_in(record.model_dump(mode="json"))
    build = _build(campaign, record.made_by)
    if without_commit(record.made_by) != record.made_by:  # a bare number may be another program's in a text
        names[record.made_by] = build
    for name, clean in ((store.CONSOLE_FILE, anonymous.of_text), (EVENTS_FILE, anonymous.of_lines)):
        if (folder / name).is_file():
            text = (folder / name).read_text(errors="replace")
            whole_files.write_text(folder / name, clean(text, names))
    return anonymous.of_record(record, names).model_copy(update={"made_by": build})


def _build(campaign: Path, made_by: str) -> str:
    """What stands in place of a version with its commit: what this campaign's other builds are not."""
    is_first = not store.run_folders(campaign)
    return builds.numbered(begun.record_of(campaign).identity, made_by, is_first)
