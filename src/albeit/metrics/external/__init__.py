"""Metrics and scores of other tools: any program, any function, COMET, score files."""
