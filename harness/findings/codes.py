"""The names of findings as they stand in records, exports and on the screen. None is ever given another meaning."""

from __future__ import annotations

from enum import StrEnum


class Severity(StrEnum):
    INVALID = "invalid"  # the run does not count
    WARNING = "warning"
    INFO = "info"


class Code(StrEnum):
    # Of energy and its meters
    METER_LOST = "meter-lost"
    SAMPLES_MISSING = "samples-missing"
    GPU_ENERGY_MISSING = "gpu-energy-missing"
    CPU_ENERGY_MISSING = "cpu-energy-missing"
    WINDOW_TOO_SHORT = "window-too-short"
    PART_TOO_SHORT = "part-too-short"
    ENERGY_NOT_COVERED = "energy-not-covered"
    READINGS_MISSED = "readings-missed"
    WRAP_COULD_HIDE = "wrap-could-hide"
    COUNTER_IMPOSSIBLE = "counter-impossible"
    COUNTER_STOOD_STILL = "counter-stood-still"
    COUNTER_DISAGREES = "counter-disagrees"
    PART_EXCEEDS_WHOLE = "part-exceeds-whole"
    POWER_REPEATS = "power-repeats"
    # Of the machine
    FOREIGN_GPU_PROCESS = "foreign-gpu-process"
    FOREIGN_CHECK_BLIND = "foreign-check-blind"
    FOREIGN_LOAD = "foreign-load"
    CPU_STOLEN = "cpu-stolen"
    GPU_SLOWED = "gpu-slowed"
    CPU_THROTTLED = "cpu-throttled"
    SWAP_USED = "swap-used"
    CLOCK_JUMPED = "clock-jumped"
    HOST_CHANGED = "host-changed"
    NEW_MACHINE = "new-machine"
    SUITE_CHANGED = "suite-changed"
    NODES_DIFFER = "nodes-differ"
    COOL_DOWN_TIMED_OUT = "cool-down-timed-out"
    COOL_DOWN_UNSEEN = "cool-down-unseen"
    DRIFT = "drift"
    BASELINE_MOVED = "baseline-moved"
    CONTROL_UNSTEADY = "control-unsteady"
    # Of the work
    QUALITY_BELOW_TARGET = "quality-below-target"
    OTHER_WORK = "other-work"
    COMPUTED_OTHERWISE = "computed-otherwise"
    UNTOLD_RESULTS = "untold-results"
    UNTRUE_EVENTS = "untrue-events"
    WORKED_OUTSIDE = "worked-outside"
    STOOD_STILL = "stood-still"
    NOT_VERIFIED = "not-verified"
    ONE_IMPLEMENTATION = "one-implementation"
    STALE_IMAGE = "stale-image"
    UNPINNED_ENVIRONMENT = "unpinned-environment"
    # Said before the first run
    DATA_NOT_PREPARED = "data-not-prepared"
    SCALED_DOWN = "scaled-down"
    NO_DOCKER = "no-docker"
    TOLD_IN_PART = "told-in-part"
    WEIGHTS_OF_A_FILE = "weights-of-a-file"
    # Of other tools' files
    BLOCKS_ONLY_BY_NUMBER = "blocks-only-by-number"
    WINDOWS_OF_ONE_SESSION = "windows-of-one-session"
    GPU_READINGS_MISSING = "gpu-readings-missing"
    POWER_GAPS = "power-gaps"
    POWER_MARKS = "power-marks"
    CLOCK_ZONE = "clock-zone"
    NEGATIVE_SAMPLES = "negative-samples"
    # Of a comparison: no run carries them
    NO_SPREAD = "no-spread"
    ONE_BLOCK = "one-block"
    ONE_SESSION = "one-session"
    OTHER_SEED = "other-seed"
    UNEQUAL_WORK = "unequal-work"
