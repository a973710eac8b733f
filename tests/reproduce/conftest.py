"""The fixtures of the command line."""

from tests.cli.conftest import albeit, own_cache

__all__ = ["albeit", "own_cache"]
