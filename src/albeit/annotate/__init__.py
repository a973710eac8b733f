"""What a text means: the layers of an analysis, the annotators that make them, the cache."""

from __future__ import annotations

from collections.abc import Sequence

from albeit.annotate.layers import Analysis, Layer
from albeit.errors import LanguageError

__all__ = ["annotate"]


def annotate(
    texts: Sequence[str], layers: frozenset[Layer], lang: str = "en"
) -> dict[str, Analysis]:
    """Analyse each distinct text once, with at least the layers asked for."""
    raise LanguageError(f"no annotator is installed for {lang!r} ({', '.join(sorted(layers))}).")
