"""The peak on a GPU is the framework's own count, where it computed on one (rule R20b): faked, for want of a GPU."""

import subprocess

import pytest

from harness import paths

FAKES = {
    "torch": "import torch; torch.cuda.is_initialized = lambda: True; torch.cuda.max_memory_allocated = lambda: 7",
    "jax": "import types, jax; stats = lambda: dict(peak_bytes_in_use=7);"
    "jax.devices = lambda: [types.SimpleNamespace(memory_stats=stats)]",
    "tensorflow": "import tensorflow as tf; tf.config.list_logical_devices = lambda kind: [kind];"
    "tf.config.experimental.get_memory_info = lambda device: {'GPU:0': dict(peak=7, current=1)}[device]",
    "sklearn": "",
}
BELOW = {"keras": "tensorflow", "keras-jax": "jax", "keras-torch": "torch"}


@pytest.mark.frameworks
@pytest.mark.parametrize("framework", [*FAKES, *BELOW])
def test_it_is_the_frameworks_own_count_and_none_on_a_cpu(framework_python, framework):
    name = framework.replace("-", "_")
    code = f"""
from suite.runtimes import {name}_runtime as runtime
runtime.configure(1, "cpu")
before = runtime.gpu_memory_peak_bytes()
{FAKES[BELOW.get(framework, framework)]}
print(before, runtime.gpu_memory_peak_bytes())
"""
    command = [framework_python(framework), "-c", code]
    told = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["None", "None" if framework == "sklearn" else "7"]
