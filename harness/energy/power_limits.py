"""What each domain can draw, in watts: generous bounds that no hardware on sale reaches, against readings that lie.

A bound is at least twice the largest figure found: it must never fault a sound reading, and a counter that was reset,
or whose reading was wrong for a moment, implies megawatts.
"""

from __future__ import annotations

CEILINGS_W = {
    "cpu_package": 1000.0,  # EPYC 9965 and Xeon 6980P: 500 W of thermal design power
    "cpu_core": 1000.0,  # inside the package
    "cpu_uncore": 1000.0,  # inside the package
    "dram": 500.0,  # of one socket: 12 channels x 2 modules of some 10 W
    "psys": 30_000.0,  # a node with 8 GPUs: DGX B200, 14.3 kW
    "gpu": 3000.0,  # GB300 and MI355X: 1400 W
    "gpu_memory": 1000.0,  # inside the GPU
    "gpu_module": 6000.0,  # GB200: a CPU and two GPUs, 2700 W
}
OTHERWISE_W = 100_000.0  # a wall meter, a whole rack: 120 kW is water-cooled, and no node
FLOORS_W = {"cpu_package": 0.5, "dram": 0.05, "gpu": 1.0, "gpu_module": 1.0}  # of hardware that is asleep
OTHERWISE_LEAST_W = 0.05


def ceiling_w(domain: str) -> float:
    return CEILINGS_W.get(domain, OTHERWISE_W)


def floor_w(domain: str) -> float:
    return FLOORS_W.get(domain, OTHERWISE_LEAST_W)
