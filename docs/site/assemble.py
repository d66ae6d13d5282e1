"""Gathers the pages of the site in a folder: `python docs/site/assemble.py build/docs`. Standard library alone.

Pages are written to be read in the repository, where README.md links docs/meters.md and that links ../SECURITY.md.
On the site all lie in one folder, so links are turned; a link to what is no page (code, a folder) becomes its text.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?:|mailto:|#)([^)#\s]+)(#[\w-]+)?\)")
# Where a page of the repository lies on the site, beside those of docs/.
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "ansible/README.md": "ansible.md",
}
PICTURES = (".png", ".webp", ".svg")


def place_on_site(path: str) -> str | None:
    """Of a file, by its path in the repository; None where the site has no such page."""
    if path in PAGES:
        return PAGES[path]
    inside = path.removeprefix("docs/")
    return inside if inside != path and inside.endswith((".md", *PICTURES)) else None


def turned(text: str, path: str) -> str:
    """A page's text with its links as the site has them; `path` is the page's in the repository."""
    here = posixpath.dirname(place_on_site(path) or "")

    def one(found: re.Match[str]) -> str:
        said, target, anchor = LINK.sub(one, found[1]), found[2], found[3] or ""
        place = place_on_site(posixpath.normpath(posixpath.join(posixpath.dirname(path), target)))
        return said if place is None else f"[{said}]({posixpath.relpath(place, here or '.')}{anchor})"

    return LINK.sub(one, text)


def navigation() -> Iterator[str]:
    """The parts of the site with their pages, as Sphinx takes them at the end of its first page."""
    parts: dict[str, list[str]] = tomllib.loads((Path(__file__).parent / "navigation.toml").read_text())
    for title, pages in parts.items():
        listed = "\n".join(one.removesuffix(".md") for one in pages)
        yield f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{listed}\n```\n"


def sources() -> list[str]:
    """All pages and pictures, by their paths in the repository."""
    files = (str(one.relative_to(ROOT)) for one in (ROOT / "docs").rglob("*") if one.is_file())
    return [*PAGES, *(one for one in files if place_on_site(one))]


def assemble(folder: Path) -> None:
    """Writes the folder anew."""
    shutil.rmtree(folder, ignore_errors=True)
    for path in sources():
        place = folder / str(place_on_site(path))
        place.parent.mkdir(parents=True, exist_ok=True)
        if path.endswith(PICTURES):
            shutil.copy(ROOT / path, place)
        else:
            place.write_text(turned((ROOT / path).read_text(), path))
    with (folder / "index.md").open("a") as index:
        index.writelines(navigation())


if __name__ == "__main__":
    assemble(Path(sys.argv[1]))
