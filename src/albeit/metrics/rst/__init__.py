"""Metrics over rhetorical structure trees."""
