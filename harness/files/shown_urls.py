"""URLs as they are told: screens and logs are read by others."""

from __future__ import annotations

import re

LOGIN = re.compile(r"(?<=://)[^/\s]+@")
SIGNATURE = re.compile(r"(?<=\?)\S+")
WEB = re.compile(r"https?://\S+")  # elsewhere a question mark is a part of a name


def shown(text: str) -> str:
    """A text without the logins and signatures of the URLs in it."""
    return WEB.sub(lambda url: SIGNATURE.sub("…", url[0]), LOGIN.sub("…@", text))
