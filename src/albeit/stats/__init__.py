"""Resampling, correlations, ties, significance: pure functions over arrays; imports nothing of ours but errors."""
