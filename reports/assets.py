"""What the page carries inline, and the policy that lets exactly this and nothing else run."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import altair as alt
import vl_convert
from markupsafe import Markup

FOLDER = Path(__file__).parent
VEGA_LITE = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])


@dataclass(frozen=True)
class Assets:
    """`library` is Vega, Vega-Lite and Vega-Embed, empty for a page without charts."""

    style: Markup
    library: Markup
    script: Markup

    @property
    def policy(self) -> str:
        """Scripts and styles by their hashes; no eval: Vega reads its expressions with an interpreter."""
        scripts = " ".join(_hash(one) for one in (self.library, self.script) if one)
        return (
            f"default-src 'none'; script-src {scripts}; style-src {_hash(self.style)}; img-src data:; "
            "base-uri 'none'; form-action 'none'"
        )


def assets(with_charts: bool) -> Assets:
    return Assets(_read("style.css"), _library() if with_charts else Markup(), _read("page.js"))


@cache
def _library() -> Markup:
    """The bundle has lost its licences on the way: they go before it again."""
    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=VEGA_LITE)
    return _inside_script(f"{_read('licences.js')}\n{bundle}")


def _read(name: str) -> Markup:
    return _inside_script((FOLDER / name).read_text("utf-8"))


def _inside_script(text: str) -> Markup:
    """Raises: ValueError for text that would end the element it stands in."""
    if any(word in text.lower() for word in ("</script", "</style", "<!--")):
        raise ValueError("an asset of the page holds markup that would end its element")
    return Markup(text)


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
