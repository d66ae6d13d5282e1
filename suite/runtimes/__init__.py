"""One `<framework>_runtime.py` per framework: threads, devices, versions and memory, the same face for all.

Each offers `configure(threads, device)`, called before the framework computes anything, and
`facts() -> dict` (framework and library versions, build, threads in force, devices).
"""
