"""The proof that all implementations of a workload do the same work, and the certificate of it."""
