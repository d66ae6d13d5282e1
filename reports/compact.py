"""Numbers of a chart, as `reports.drawing.inline`: the page itself carries them by column (reports.slimming)."""

from reports.drawing import inline as compact

__all__ = ["compact"]
