"""Metrics of other people's making, as metrics of ours: any program, any function, COMET."""
