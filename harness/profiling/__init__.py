"""Stacks of a worker, looked at from outside."""
