"""The pages of docs/reference that are made of the code, and what makes each."""

from __future__ import annotations

from collections.abc import Callable

from tests.reference import error_classes, plan_keys, quantity_table, record_formats, statistics_table

PAGES: dict[str, Callable[[], str]] = {
    "errors.md": error_classes.page,
    "plan.md": plan_keys.page,
    "quantities.md": quantity_table.page,
    "records.md": record_formats.page,
    "statistics.md": statistics_table.page,
}
