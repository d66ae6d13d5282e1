"""docs/reference/plan.md: each key of a plan's file, of the model that reads it."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic.fields import FieldInfo

from harness.planning import plan_files
from harness.planning.plan_keys import MEANINGS
from harness.records import Record
from tests.reference.types_told import default_told, type_told

HEAD = """\
# Plan files

`suite run --all --profile my.toml` carries out a plan of your own, a file in TOML; `suite plan show my.toml` says what
that is. An unknown key, a wrong type and a number out of range are refused with file, line and key. Times are seconds.

This page is made by `make reference`, of the code that reads plans. A whole plan:

```toml
repetitions = 10
sample_period_s = 0.1
baseline_s = 30.0
run_timeout_s = 14400.0
expected_run_s = 240.0

[power_model]
idle_w = 10.0
busy_cpu_w = 8.0

[factors]
workload = ["mnist_mlp"]
framework = ["torch", "jax"]
```

Shipped plans, to begin with, are in `harness/planning/plans/` (`quick`: small data, 3 blocks; `standard`: the full
protocol, 10 blocks):

"""
TABLE = "\n| key | type | default | says |\n|---|---|---|---|\n"


def fields() -> Iterator[tuple[str, FieldInfo]]:
    """Dotted names, a table's own keys after it."""
    yield from _of(plan_files.PlanFile, "")


def _of(record: type[Record], before: str) -> Iterator[tuple[str, FieldInfo]]:
    for name, one in record.model_fields.items():
        yield f"{before}{name}", one
        if _is_table(one):
            yield from _of(one.annotation, f"{before}{name}.")


def _is_table(one: FieldInfo) -> bool:
    return isinstance(one.annotation, type) and issubclass(one.annotation, Record)


def page() -> str:
    plans = "".join(f"- `{name}`{_title(name)}\n" for name in plan_files.names())
    return HEAD + plans + TABLE + "".join(map(_row, fields()))


def _title(name: str) -> str:
    found = plan_files.read(name)
    return f": {found.title}. {found.source}" if found.title else ""


def _row(named: tuple[str, FieldInfo]) -> str:
    name, one = named
    kind = "table of keys" if _is_table(one) else type_told(one)
    return f"| `{name}` | {kind} | {default_told(one)} | {MEANINGS[name]} |\n"
