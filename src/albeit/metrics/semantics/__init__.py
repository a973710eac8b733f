"""Metrics over meaning: token similarity and discourse representation structures."""
