"""suite power: how many blocks a plan needs."""

from __future__ import annotations

import click

from harness.cli.known_words import MARGIN, POWER
from harness.cli.percent import PERCENT


@click.command("power")
@click.option("--noise", type=PERCENT, required=True, help="Standard deviation of one run, e.g. 3%.")
@click.option("--effect", type=PERCENT, required=True, help="The treatment costs so much less, e.g. 5%.")
@click.option("--margin", type=PERCENT, default=MARGIN, help="Smallest difference that matters. Default: 2%.")
@click.option("--power", "wanted", type=PERCENT, default=POWER, help="Chance to find it. Default: 80%.")
@click.option("--alpha", type=PERCENT, default=0.05, help="Chance to find what is not there. Default: 5%.")
@click.option("--comparisons", type=click.IntRange(1), default=1, help="Made at once; alpha is shared.")
def command(
    noise: float, effect: float, margin: float, wanted: float, alpha: float, comparisons: int
) -> None:
    """Says how many blocks it takes to find an EFFECT, or to show that there is none, in runs with this NOISE."""
    from harness.analysis.power import blocks_for_equivalence, blocks_needed, equivalence_power, power
    from harness.cli import screen

    each = alpha / comparisons
    blocks = blocks_needed(noise, effect, wanted, each)
    found = power(noise, effect, blocks, each)
    screen.say(
        f"{_blocks(blocks)} find a treatment that costs {_percent(effect)} less, in {found:.0%} of campaigns"
    )
    blocks = blocks_for_equivalence(noise, margin, wanted, each)
    shown = equivalence_power(noise, margin, blocks, each)
    screen.say(
        f"{_blocks(blocks)} show two that are alike to differ by less than {_percent(margin)}, in {shown:.0%}"
    )
    among = f" in each of {comparisons} comparisons" if comparisons > 1 else ""
    screen.say(f"paired log-t and TOST; noise of one run {_percent(noise)}, alpha {_percent(each)}{among}")


def _blocks(count: int) -> str:
    return f"{count} blocks"


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"
