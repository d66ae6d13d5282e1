"""Joules of one run, given to what was seen on its stack; pure."""
