"""Metrics over constituents and dependencies."""
