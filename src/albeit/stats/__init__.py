"""Resampling, correlations, ties, and significance: pure functions over arrays."""
