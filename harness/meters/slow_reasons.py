"""Why a GPU's clocks are lower than asked for: what the bits of a meter's `clocks_event_reasons` say; names alone."""

from __future__ import annotations

from collections.abc import Mapping

# Meter -> bit -> words. Idle and set clocks are no trouble.
SLOW_REASONS: Mapping[str, Mapping[int, str]] = {
    # nvmlClocksEventReasons of nvml.h
    "nvml": {
        0x04: "power cap",
        0x08: "hardware slowdown",
        0x20: "heat (software)",
        0x40: "heat (hardware)",
        0x80: "power brake",
    },
}
