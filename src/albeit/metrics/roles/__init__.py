"""Metrics over predicate-argument structure."""
