"""Metrics over words and characters."""
