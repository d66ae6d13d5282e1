"""A runtime of no framework, for what suite.run does beside one."""

from types import SimpleNamespace

RUNTIME = SimpleNamespace(facts=dict, gpu_memory_peak_bytes=lambda: None)
