"""What a null campaign tells of its machine, and where it counts."""
