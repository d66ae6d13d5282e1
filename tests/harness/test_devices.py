"""The table of devices against the meters that it names."""

from __future__ import annotations

from harness.devices import GPUS
from harness.meters import gpus


def test_a_device_names_the_meter_of_its_vendor() -> None:
    assert {one.vendor: one.meter for one in GPUS} == {name: one.METER for name, one in gpus.VENDORS.items()}
