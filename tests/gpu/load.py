"""A steady load on the first GPU: fills its memory over and over through the driver alone (libcuda.so.1).

Needs no CUDA toolkit and no framework: `python -m tests.gpu.load`. Prints "ready" once it runs; runs until it is
ended. Functions: CUDA driver API, https://docs.nvidia.com/cuda/cuda-driver-api/.
"""

from __future__ import annotations

import ctypes
import os

BUFFER_BYTES = 1 << 30
WORD_BYTES = 4
FILLS_IN_FLIGHT = 50


class Driver:
    """libcuda's functions; a code other than 0 is an error."""

    def __init__(self) -> None:
        os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")  # NVML's order
        self._library = ctypes.CDLL("libcuda.so.1")

    def __call__(self, function: str, *arguments: object) -> None:
        code = getattr(self._library, function)(*arguments)
        if code != 0:
            raise RuntimeError(f"{function} answers {code}")


def main() -> None:
    driver, device, context, buffer = Driver(), ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
    driver("cuInit", 0)
    driver("cuDeviceGet", ctypes.byref(device), 0)
    driver("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    driver("cuCtxSetCurrent", context)
    driver("cuMemAlloc_v2", ctypes.byref(buffer), ctypes.c_size_t(BUFFER_BYTES))
    print("ready", flush=True)
    fill = 0
    while True:
        for _ in range(FILLS_IN_FLIGHT):
            fill = (fill + 0x9E3779B9) & 0xFFFFFFFF  # new bits each time: equal ones would switch nothing
            driver("cuMemsetD32_v2", buffer, ctypes.c_uint(fill), ctypes.c_size_t(BUFFER_BYTES // WORD_BYTES))
        driver("cuCtxSynchronize")


if __name__ == "__main__":
    main()
