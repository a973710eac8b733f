"""The directory tree of mt-metrics-eval: one test set, any number of language pairs."""

from __future__ import annotations

from pathlib import Path

__all__ = ["looks_like"]

_PARTS = ("sources", "references", "system-outputs")


def looks_like(path: Path) -> bool:
    """Whether a folder has this shape."""
    return sum((path / part).is_dir() for part in _PARTS) >= 2
