"""Records of a campaign that may be a stranger's: valid and of this version, or one line that says why not."""

from __future__ import annotations

from json import JSONDecodeError
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from harness import shape_errors
from harness.errors import ANEW, CampaignError, cause
from harness.files.untrusted import parse_json, printable, read_beneath
from harness.records import FORMAT_VERSION, Record

REMEDY = f"cut short or altered; {ANEW}"
LONGEST_VERSION = 40  # of a suite, as it is told
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
        wrong = shape_errors.reason(error)
        raise CampaignError(printable(f"{path} is not valid: {wrong}: {REMEDY}")) from error
    except (ValueError, OSError) as error:
        raise CampaignError(f"{path} cannot be read: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    """Of what is no JSON its place, and what helps."""
    if isinstance(error, JSONDecodeError):
        return f"no JSON from line {error.lineno}, column {error.colno} on: {REMEDY}"
    if isinstance(error, OSError):
        return cause(error)
    return f"{'its bytes are no text' if isinstance(error, UnicodeDecodeError) else cause(error)}: {REMEDY}"


def _require_version(path: Path, content: Any) -> None:
    if not isinstance(content, dict):
        raise ValueError("it holds no JSON object")
    if "format_version" not in content:
        raise ValueError("it names no format_version")
    if (version := content["format_version"]) != FORMAT_VERSION:
        said = printable(str(version)[:20])
        raise CampaignError(
            f"{path} has format {said}; this version of suite reads {FORMAT_VERSION}: "
            f"read it with the suite that wrote it{_suite_of(content)}, or take it from a copy"
        )


def _suite_of(content: dict[str, Any]) -> str:
    """The version that wrote it, where the record tells."""
    made_by = content.get("made_by")
    return f" ({printable(made_by[:LONGEST_VERSION])})" if isinstance(made_by, str) and made_by else ""
