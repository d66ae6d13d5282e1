"""Records of a campaign that may be a stranger's: valid and of this version, or one line that says why not."""

from __future__ import annotations

from json import JSONDecodeError
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from harness import shape_errors
from harness.errors import CampaignError, cause
from harness.files.untrusted import parse_json, printable, read_beneath
from harness.records import FORMAT_VERSION, Record

REMEDY = "cut short or altered; take it from a copy, or measure anew"
R = TypeVar("R", bound=Record)


def read_record(kind: type[R], folder: Path, name: str) -> R:
    """A record as this version writes it, in JSON's own types: no number in quotes, no fraction for a count.

    Raises: CampaignError for a file that is damaged, UnsafeFile for one that a link leads to.
    """
    path = folder / name
    try:
        text = read_beneath(folder, name)
        _require_version(path, parse_json(text))
        return kind.model_validate_json(text, strict=True)
    except ValidationError as error:
        raise CampaignError(printable(f"{path} is not valid: {shape_errors.reason(error)}")) from error
    except (ValueError, OSError) as error:
        raise CampaignError(f"{path} cannot be read: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    """Of what is no JSON its place, and what helps."""
    if isinstance(error, JSONDecodeError):
        return f"no JSON from line {error.lineno}, column {error.colno} on: {REMEDY}"
    return f"its bytes are no text: {REMEDY}" if isinstance(error, UnicodeDecodeError) else cause(error)


def _require_version(path: Path, content: Any) -> None:
    if not isinstance(content, dict):
        raise ValueError("it holds no JSON object")
    version = content.get("format_version")
    if version != FORMAT_VERSION:
        said = printable(str(version)[:20])
        raise CampaignError(f"{path} has format {said}; this version of suite reads {FORMAT_VERSION}")
