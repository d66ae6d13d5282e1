"""Lines and numbers of text files."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import numpy as np

from harness.files.untrusted import read_beneath
from harness.importers.base import SourceError

SPACES = re.compile(r"[\s\u00a0\u202f']")  # that locales put between thousands
MOST_BYTES = 256 << 20
LONGEST_LINE = 10_000  # characters, of what is no table
UNROUNDED_DIGITS = 14  # a float prints up to 17, and seldom fewer
LONGEST_S = 1e9  # 31 years: beyond it, digits are wrong


def lines(path: Path) -> list[str]:
    """A text's lines, whatever ends them. Raises: as `text_of`, and SourceError for one that no tool prints."""
    found = text_of(path).splitlines()
    for number_, line in enumerate(found, 1):
        if len(line) > LONGEST_LINE:
            raise SourceError(path, f"a line of {len(line)} characters", number_)
    return found


def text_of(path: Path) -> str:
    """Raises: SourceError for a file that is missing, empty or no text, and as `content_of`."""
    try:
        text = content_of(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(path, "the file is not text") from error
    if "\0" in text:
        raise SourceError(path, "the file is not text: it holds NUL")
    if not text.strip():
        raise SourceError(path, "the file is empty")
    return text


def content_of(path: Path) -> bytes:
    """Raises: SourceError for a file that is missing, too large, or no regular file: no link leads to what is read."""
    try:
        return read_beneath(path.parent, path.name, MOST_BYTES)
    except FileNotFoundError as error:
        raise SourceError(path, "the file is missing") from error
    except OSError as error:
        raise SourceError(path, f"the file cannot be read: {error.strerror}") from error


def number(text: str) -> float:
    """A number as printf writes it in any locale: 188,753.25 and 188.753,25 are the same.

    Of two kinds of separators the last is the decimal one; one that occurs more than once parts thousands.
    Raises: ValueError for what is none, and for 1,234, which may be either.
    """
    value = float(_plain(text))
    if not np.isfinite(value):
        raise ValueError(f"'{text}' is no finite number")
    return value


def step(text: str) -> float | None:
    """What the last digit is worth, 0.01 in 188,753.25; None for a number that was not rounded, as Python prints it."""
    plain = Decimal(_plain(text))
    exponent = plain.as_tuple().exponent
    rounded = len(plain.as_tuple().digits) < UNROUNDED_DIGITS
    return float(Decimal(1).scaleb(exponent)) if rounded and isinstance(exponent, int) else None


def _plain(text: str) -> str:
    """With a point, and nothing between thousands."""
    bare = SPACES.sub("", text)
    kinds = sorted((one for one in ",." if one in bare), key=bare.rfind)
    if re.fullmatch(r"[1-9]\d{0,2},\d{3}", bare):
        raise ValueError(f"'{text}' may be {bare.replace(',', '')} or {bare.replace(',', '.')}")
    if (kinds and bare.count(kinds[0]) > 1) or len(kinds) == 2:
        whole, decimal, rest = bare.rpartition(kinds[1]) if len(kinds) == 2 else (bare, "", "")
        bare = _without_thousands(whole, kinds[0]) + decimal + rest
    return bare.replace(",", ".")


def _without_thousands(whole: str, separator: str) -> str:
    """Groups of three, or of two before the last one, as in India."""
    if not re.fullmatch(rf"-?\d{{1,3}}(?:[{separator}]\d{{2,3}})*[{separator}]\d{{3}}", whole):
        raise ValueError(f"'{whole}' has no groups of thousands")
    return whole.replace(separator, "")
