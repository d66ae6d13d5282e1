"""From samples to joules: unwrapped, interpolated, integrated, with their uncertainty; pure."""
