"""What the page carries inline, and the policy that lets exactly this and nothing else run."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from markupsafe import Markup

from reports import chart_library

COMMENTS, ASIDE = ("//", "/* "), "  // "
FOLDER = Path(__file__).parent
PAGE_SCRIPTS = ("page.js", "first_screen.js", "folds.js")
FLAME_SCRIPTS = ("flame_frames.js", "flame_colours.js", "flame_use.js", "flame.js")


@dataclass(frozen=True)
class Assets:
    """`library` (Vega, Vega-Lite, Vega-Embed) and `charts` (JSON by name) are empty for a page without charts.

    `flames`: of flame graphs, each its JSON, by name.
    """

    style: Markup
    script: Markup
    library: str = ""
    charts: str = ""
    flames: Mapping[str, str] = field(default_factory=dict)

    @property
    def packed(self) -> dict[str, str]:
        """What the script unpacks when it is needed, by the id of its element."""
        drawn = {"library": self.library, "charts": self.charts} if self.charts else {}
        return {name: _deflated(text) for name, text in {**drawn, **self.flames}.items()}

    @property
    def policy(self) -> str:
        """Scripts and styles by their hashes; no eval: Vega reads its expressions with an interpreter."""
        scripts = " ".join(_hash(one) for one in (self.script, self.library) if one)
        return (
            f"default-src 'none'; script-src {scripts}; style-src {_hash(self.style)}; img-src data:; "
            "base-uri 'none'; form-action 'none'"
        )


def assets(specifications: Mapping[str, Any], flames: Mapping[str, Any]) -> Assets:
    """`specifications`: of the page's charts, by name, as reports.slimming.packed gives them.

    `flames`: of its flame graphs, by name, as reports.flames gives them.
    """
    style = _tight(_lines("style.css", *(["flame.css"] if flames else [])))
    script = _lines(*PAGE_SCRIPTS, *(FLAME_SCRIPTS if flames else ()))
    packed = {name: _json(one) for name, one in flames.items()}
    if not specifications:
        return Assets(style, script, flames=packed)
    return Assets(style, script, _library(), _json(specifications), packed)


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def _tight(style: Markup) -> Markup:
    """Without spaces that no rule needs: colons keep theirs, which part selectors."""
    return Markup(re.sub(r"\s*([{};,])\s*", r"\1", style).replace(";}", "}"))


def _lines(*names: str) -> Markup:
    """Without what indents and parts them, and comments, which are of one line, as all texts are."""
    lines = (line.partition(ASIDE)[0].strip() for name in names for line in _read(name).splitlines())
    return Markup("\n").join(Markup(one) for one in lines if one and not one.startswith(COMMENTS))


def _library() -> str:
    """The bundle has lost its licences on the way: they go before it again."""
    return f"{_read('licences.js')}\n{chart_library.bundle()}"


def _deflated(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def _read(name: str) -> Markup:
    return _inside_script((FOLDER / name).read_text("utf-8"))


def _inside_script(text: str) -> Markup:
    """Raises: ValueError for text that would end the element it stands in."""
    if any(word in text.lower() for word in ("</script", "</style", "<!--")):
        raise ValueError("an asset of the page holds markup that would end its element")
    return Markup(text)


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
