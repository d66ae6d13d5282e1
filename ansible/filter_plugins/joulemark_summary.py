"""How the summary reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def line(found: Mapping[str, Any]) -> str:
    """`found`: role, good, says, and perhaps a remedy."""
    remedy = f"; {found['remedy']}" if found.get("remedy") and not found["good"] else ""
    return f"{'ok' if found['good'] else 'LACKING':8}{found['role']}: {found['says']}{remedy}"


def reason(result: Mapping[str, Any]) -> str:
    """Why a task, or the first item of its loop, failed: a program's complaint, else what the module says."""
    failed = next((one for one in result.get("results", []) if one.get("failed")), result)
    said = str(failed.get("stderr") or failed.get("module_stderr") or failed.get("msg") or "it failed")
    lines = said.strip().splitlines()
    return next((line for line in lines if line.startswith(("E:", "ERROR:"))), lines[-1])


class FilterModule:
    def filters(self) -> dict[str, Callable[[Mapping[str, Any]], str]]:
        return {"joulemark_line": line, "joulemark_reason": reason}
