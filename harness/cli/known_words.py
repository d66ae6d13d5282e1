"""Words that the help shows, beside the registries that own them: those load pandas or SciPy, for which no help waits.

tests/harness/cli/test_help.py holds each against its registry.
"""

from __future__ import annotations

QUANTITIES = (
    "energy", "time", "cpu", "memory", "prompt-token", "generated-token", "request", "first-token",
    "output-token", "answer-token", "latency", "request-first-token",
)  # fmt: skip
ERRORS = ("simultaneous", "holm", "bonferroni", "per-ratio")  # the first is the default
TESTS = ("paired-log-t", "sign-flip", "signed-rank")
RULES = ("three-sigma", "tukey", "negative")
EXPORTS = (
    "csv", "parquet", "json", "dataset", "latex", "svg", "pdf", "png", "methods", "folded", "speedscope", "bundle",
)  # fmt: skip
TOOLS = ("py-spy", "py-spy-native", "cprofile", "operators")
RATIOS = ("text", "csv", "json", "markdown")
DEFAULT_SEED = 20220
FEWEST_BLOCKS = 3
MARGIN, POWER = 0.02, 0.80
LOOPBACK = "127.0.0.1"
