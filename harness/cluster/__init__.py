"""A campaign whose blocks a scheduler's nodes carry out: planned once, each block one job, all in one folder."""
