"""What a framework raises is told in one line that says what it is."""

import pytest

from suite.run import LONGEST_ERROR, error_told


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ValueError("no such thing"), "ValueError: no such thing"),
        (ValueError(), "ValueError:"),
        (MemoryError("out of memory\nallocator: 3 GB"), "MemoryError: out of memory"),
        # As AutoGraph wraps what a user's function raises.
        (
            TypeError("in user code:\n\n    File x, line 3\n\n    TypeError: f() takes 2 arguments\n"),
            "TypeError: in user code: TypeError: f() takes 2 arguments",
        ),
        # As torch.compile has what its backend raised.
        (
            RuntimeError(
                "backend='inductor' raised:\nKeyError: of no kernel\n\nSet TORCHDYNAMO_VERBOSE=1 for more"
            ),
            "RuntimeError: backend='inductor' raised: KeyError: of no kernel",
        ),
        (RuntimeError("Graph execution error:\n\nno room"), "RuntimeError: Graph execution error: no room"),
        (RuntimeError("x" * 9000), f"RuntimeError: {'x' * 9000}"[:LONGEST_ERROR]),
    ],
)
def test_an_error_in_one_line(error, told):
    assert error_told(error) == told
