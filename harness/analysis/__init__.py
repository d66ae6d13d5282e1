"""Pure functions over frames: what the runs cost, and what may be concluded from it."""
