"""What there is to measure, as `suite/` and `images/` say: workloads, their specs and tasks, what frameworks can."""
