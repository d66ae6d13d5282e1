"""The machine that measures: what it is, how it is set, and what changed."""
