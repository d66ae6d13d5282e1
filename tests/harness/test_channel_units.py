"""A record whose energy is in another unit than joules is not read: nothing converts it, and its ratios were wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import store
from harness.errors import CampaignError
from harness.records import Channel, ChannelKind, Provenance
from tests.campaigns import Recipe, build


def channel(unit: str, kind: ChannelKind = ChannelKind.COUNTER, boundary: bool = True) -> Channel:
    return Channel(
        name="plug/1", meter="http", unit=unit, kind=kind, provenance=Provenance.MEASURED, domain="wall",
        boundary=boundary,
    )  # fmt: skip


@pytest.mark.parametrize("edited", ["campaign", "run"])
@pytest.mark.parametrize("unit", ["kJ", "W", "bytes", ""])
def test_an_addend_of_the_energy_is_in_joules_or_not_read(tmp_path: Path, edited: str, unit: str) -> None:
    made = build(tmp_path / "c", Recipe(blocks=1))
    path = made.folder / store.CAMPAIGN_FILE if edited == "campaign" else made.runs[0].folder / store.RUN_FILE
    path.write_text(path.read_text().replace('"unit": "J"', f'"unit": "{unit}"'))
    with pytest.raises(CampaignError, match=r"rapl/package-0 is .*(recorded|that is) in J"):
        store.load_campaign(made.folder)


@pytest.mark.parametrize("unit", ["kJ", "mJ", "mW", "kW", "Wh", "kWh", "\u00b5J"])
def test_no_other_channel_has_a_multiple_of_them_either(unit: str) -> None:
    with pytest.raises(ValueError, match="energy is recorded in J, and power in W"):
        channel(unit, ChannelKind.GAUGE, boundary=False)


def test_a_gauge_that_is_added_is_in_watts_and_all_else_as_it_is() -> None:
    channel("J")
    channel("W", ChannelKind.GAUGE)
    with pytest.raises(ValueError, match=r"that is in W"):
        channel("J", ChannelKind.GAUGE)
    for unit in ("MHz", "%", "degC", "bytes", "s", "1", "MiB"):
        channel(unit, ChannelKind.GAUGE, boundary=False)
