"""The one place that holds the version."""

__version__ = "0.4.0.dev0"
