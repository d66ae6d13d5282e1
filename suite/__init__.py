"""The identical workloads: everything in this package runs inside the environments, on NumPy and one framework."""
