"""Metrics over named entities."""
