"""Writes docs/reference: `python -m tests.reference`."""

from __future__ import annotations

from harness import paths
from tests.reference.pages import PAGES

for name, page in PAGES.items():
    (paths.ROOT / "docs/reference" / name).write_text(page())
