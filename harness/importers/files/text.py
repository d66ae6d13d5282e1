"""Lines and numbers of text files."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from harness.importers.base import SourceError

SPACES = re.compile(r"[\s\u00a0\u202f']")  # that locales put between thousands
LONGEST_S = 1e9  # 31 years: beyond it, digits are wrong


def lines(path: Path) -> list[str]:
    """A text's lines, whatever ends them. Raises: as `text_of`."""
    return text_of(path).splitlines()


def text_of(path: Path) -> str:
    """Raises: SourceError for a file that is missing, empty or no text."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise SourceError(path, "the file is missing") from error
    except UnicodeDecodeError as error:
        raise SourceError(path, "the file is not text") from error
    except OSError as error:
        raise SourceError(path, f"the file cannot be read: {error.strerror}") from error
    if not text.strip():
        raise SourceError(path, "the file is empty")
    return text


def number(text: str) -> float:
    """A number as printf writes it in any locale: 188,753.25 and 188.753,25 are the same.

    Of two kinds of separators the last is the decimal one; one that occurs more than once parts thousands.
    Raises: ValueError for what is none, and for 1,234, which may be either.
    """
    bare = SPACES.sub("", text)
    kinds = sorted((one for one in ",." if one in bare), key=bare.rfind)
    if re.fullmatch(r"[1-9]\d{0,2},\d{3}", bare):
        raise ValueError(f"'{text}' may be {bare.replace(',', '')} or {bare.replace(',', '.')}")
    if (kinds and bare.count(kinds[0]) > 1) or len(kinds) == 2:
        whole, decimal, rest = bare.rpartition(kinds[1]) if len(kinds) == 2 else (bare, "", "")
        bare = _without_thousands(whole, kinds[0]) + decimal + rest
    value = float(bare.replace(",", "."))
    if not np.isfinite(value):
        raise ValueError(f"'{text}' is no finite number")
    return value


def _without_thousands(whole: str, separator: str) -> str:
    """Groups of three, or of two before the last one, as in India."""
    if not re.fullmatch(rf"-?\d{{1,3}}(?:[{separator}]\d{{2,3}})*[{separator}]\d{{3}}", whole):
        raise ValueError(f"'{whole}' has no groups of thousands")
    return whole.replace(separator, "")
