"""The severities of a finding."""

from __future__ import annotations

INFO, WARNING, INVALID = "info", "warning", "invalid"
