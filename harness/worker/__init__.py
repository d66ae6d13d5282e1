"""The host's side of a worker: its folder, and what it tells."""
