"""A drawing without what identifies anybody in its texts: shapes and texts of SVG, as our own call graphs are."""

from __future__ import annotations

from xml.etree import ElementTree

from harness.exports import anonymous
from harness.exports.anonymous import Names

DECLARES = (b"<!DOCTYPE", b"<!ENTITY")  # what no drawing of ours has, and makes much of little
MOST_BYTES = 16 << 20
NAMESPACE = "http://www.w3.org/2000/svg"


def of_svg(content: bytes, names: Names) -> str:
    """Its texts and attributes are cleaned each by itself, so that it stays well formed.

    Raises: ValueError for what is no XML of UTF-8, declares entities, or is larger or deeper than any drawing of ours.
    """
    if len(content) > MOST_BYTES or any(one in content for one in DECLARES):
        raise ValueError("no drawing of ours is so large, or declares entities")
    try:
        root = ElementTree.fromstring(content.decode())
        for one in root.iter():
            one.text, one.tail = _clean(one.text, names), _clean(one.tail, names)
            one.attrib.update({key: anonymous.of_text(value, names) for key, value in one.attrib.items()})
        ElementTree.register_namespace("", NAMESPACE)
        return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)
    except (ElementTree.ParseError, RecursionError) as error:
        raise ValueError(str(error)) from None


def _clean(text: str | None, names: Names) -> str | None:
    return None if text is None else anonymous.of_text(text, names)
