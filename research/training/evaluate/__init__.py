"""Scorers for every layer, without torch: each takes gold and predicted structures."""
