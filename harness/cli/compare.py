"""suite compare: treatments of one campaign, or of two."""

from __future__ import annotations

from typing import Any

import click

from harness.cli import ratios_asked


@click.command("compare")
@ratios_asked.options
@ratios_asked.form
def command(form: str, **asked: Any) -> None:
    """Holds the treatments of the campaign in FOLDER against its reference, or those of OTHER against FOLDER's.

    Ratios of geometric means, with 95 % intervals: paired within blocks in one campaign; between two, relative to
    what is unchanged in both, or over several sessions of each side. Beside each what both cost, what its joules are,
    and what was found in the runs that it compares.
    """
    from harness.cli import compared  # pandas and SciPy: no help waits for them

    compared.told(form, **asked)
