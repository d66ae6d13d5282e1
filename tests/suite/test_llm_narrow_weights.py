"""PyTorch's copy of the weights in 16 bits: their numbers, and no second wide one beside them meanwhile."""

import pytest

pytestmark = pytest.mark.frameworks

SCRIPT = """
import json, sys
from pathlib import Path
import torch
from suite.llm.spec import SPEC
from suite.llm.torch_impl import Net
from suite.llm.torch_writer import Writer

def status(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith(name + ":")).split()[1])

sizes = {"layers": 1, "width": 512, "heads": 8, "kv_heads": 8, "inner": 512, "vocabulary": 200_000, "context": 16}
net = Net(SPEC.with_settings({"form": "llama", "prompt_tokens": 4, "new_tokens": 4, **sizes})).to(torch.float32)
wide_bytes = sum(one.nbytes for one in net.parameters())
Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew (proc(5))
before = status("VmRSS")
narrow = Writer(net, torch.bfloat16, compiled=False).net
found = {"wide_bytes": wide_bytes, "more_bytes": status("VmHWM") - before}
found["kinds"] = sorted({str(one.dtype) for one in (*narrow.parameters(), *narrow.buffers())})
found["kept"] = sorted({str(one.dtype) for one in net.parameters()})
pairs = zip(net.parameters(), narrow.parameters(), strict=True)
found["equal"] = all(torch.equal(wide.bfloat16(), one) for wide, one in pairs)
Path(sys.argv[1]).write_text(json.dumps(found))
"""


def test_they_are_made_one_after_the_other(found_by):
    found = found_by(SCRIPT, "torch")
    assert found["equal"] and found["kinds"] == ["torch.bfloat16"] and found["kept"] == ["torch.float32"]
    assert found["wide_bytes"] > 400e6
    assert found["more_bytes"] < 0.75 * found["wide_bytes"]  # half of it is the copy
