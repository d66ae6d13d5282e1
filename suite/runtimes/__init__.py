"""One `<framework>_runtime.py` per framework: threads, devices, versions and memory, the same face for all.

Each offers `configure(threads, device)`, called before the framework computes anything, `facts() -> dict` (framework
and library versions, build, threads in force, devices), and `gpu_memory_peak_bytes() -> int | None`: the most that its
arrays took on the GPU at once, by its own count (rule R20b: what the driver tells holds the framework's reserves, too);
None where it computed on no GPU, or counts nothing there.

A framework on several backends has a runtime for each, `<framework>_<backend>_runtime.py`, and one implementation.
"""


def runtime_module(framework: str) -> str:
    """E.g. keras-jax -> suite.runtimes.keras_jax_runtime."""
    return f"{__name__}.{framework.replace('-', '_')}_runtime"


def implementation_module(workload: str, framework: str) -> str:
    """E.g. keras-jax -> suite.<workload>.keras_impl."""
    return f"suite.{workload}.{framework.partition('-')[0]}_impl"
