"""A plan carried out on this machine, run by run."""
