"""What the first GPU gives at most: arithmetic by precision, and its memory. Needs PyTorch.

python -m tests.gpu.limits

Prints the rows that stand beside a validation's figures: medians of ten products of large random matrices, and of
ten copies, each timed on the device after a warm-up.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable

import torch

SIDE = 8192  # of matrices
COPIED_BYTES = 4 << 30
TIMES, WARM_UP = 10, 3


def seconds(work: Callable[[], object]) -> float:
    """The median, between two events on the device."""
    spent = []
    for number in range(WARM_UP + TIMES):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work()
        end.record()
        torch.cuda.synchronize()
        if number >= WARM_UP:
            spent.append(begin.elapsed_time(end) / 1e3)
    return statistics.median(spent)


def product_flops_per_s(kind: torch.dtype, tf32: bool = False) -> float:
    torch.backends.cuda.matmul.allow_tf32 = tf32
    one, other = (torch.randn(SIDE, SIDE, device="cuda").to(kind) for _ in range(2))
    return 2 * SIDE**3 / seconds(lambda: one @ other)


def copied_bytes_per_s() -> float:
    """Read and written ones together."""
    source = torch.randint(0, 255, (COPIED_BYTES,), dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    return 2 * COPIED_BYTES / seconds(lambda: target.copy_(source))


def main() -> None:
    print(f"| PyTorch {torch.__version__}, CUDA {torch.version.cuda} | {torch.cuda.get_device_name()} |")
    kinds = {
        "float32": (torch.float32, False),
        "TF32": (torch.float32, True),
        "bfloat16": (torch.bfloat16, False),
    }
    for name, given in kinds.items():
        print(f"| product of {SIDE} x {SIDE}, {name} | {product_flops_per_s(*given) / 1e12:.1f} TFLOP/s |")
    print(f"| copy within memory, read and written | {copied_bytes_per_s() / 1e12:.2f} TB/s |")


if __name__ == "__main__":
    main()
