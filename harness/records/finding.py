"""A doubt about a run or a campaign."""

from __future__ import annotations

from pydantic import Field

from harness.findings.codes import Code, Severity
from harness.findings.registry import MEANINGS
from harness.records.base import Record


class Finding(Record):
    """A doubt that is told; other versions may have words of their own for `code` and `severity`."""

    code: Code | str = Field(union_mode="left_to_right")
    severity: Severity | str = Field(union_mode="left_to_right")
    message: str
    advice: str

    @classmethod
    def of(cls, code: Code, message: str, severity: Severity | None = None, advice: str = "") -> Finding:
        """The one way to make one. `severity`: where its code has several; `advice`: where more is known."""
        meaning = MEANINGS[code]
        asked = meaning.severities if severity is None else (severity,)
        if len(asked) != 1 or asked[0] not in meaning.severities:
            raise ValueError(f"{code} is {' or '.join(meaning.severities) or 'no finding'}: say which")
        return cls(code=code, severity=asked[0], message=message, advice=advice or meaning.advice)
