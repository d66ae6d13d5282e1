"""A campaign for other programs: tidy tables, and one checksummed file that holds all of it."""
