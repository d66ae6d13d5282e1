"""What `suite run --resume` takes: how to go on, and nothing that the campaign's own plan decides."""

from __future__ import annotations

import click
from click.core import ParameterSource

from harness.errors import UsageError

OF_A_PLAN = frozenset({
    "everything", "workloads", "frameworks", "stages", "repetitions", "seed", "profile", "device", "require", "until",
    "reference", "anonymous", "boundary", "pretrained", "profile_runs", "profile_tools",
})  # fmt: skip


def require_none_of_a_plan(context: click.Context) -> None:
    """Raises: UsageError that names what the user gave and the plan has: also where it has the same."""
    given = [one for one in context.command.params if _is_given(context, one)]
    if any(one.name == "output" for one in given):
        raise UsageError("--resume goes on in the campaign's own folder: leave out -o")
    if planned := [one.opts[0] for one in given if one.name in OF_A_PLAN]:
        raise UsageError(f"--resume carries out the plan of the campaign: leave out {', '.join(planned)}")


def _is_given(context: click.Context, one: click.Parameter) -> bool:
    return context.get_parameter_source(str(one.name)) is not ParameterSource.DEFAULT
