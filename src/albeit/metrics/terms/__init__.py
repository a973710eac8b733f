"""Consistent translation of repeated terms."""
