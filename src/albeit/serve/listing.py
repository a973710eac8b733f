"""Which metrics can be offered for a language."""

from __future__ import annotations

from functools import lru_cache

from albeit.engine import unusable_into
from albeit.languages import normalise
from albeit.metrics.registry import is_open, load, names

__all__ = ["usable_metrics"]


def usable_metrics(lang: str, source_lang: str | None) -> list[dict[str, str]]:
    """Names, summaries and units of all metrics that can score translations into it."""
    return _usable(normalise(lang), normalise(source_lang) if source_lang else None)


@lru_cache(maxsize=64)
def _usable(lang: str, source_lang: str | None) -> list[dict[str, str]]:
    others = unusable_into(lang, source_lang)
    known = {name: load(name) for name in names() if name not in others}
    return [
        {"name": name, "summary": cls.summary, "unit": str(cls.unit)}
        for name, cls in known.items()
        if not is_open(cls)
    ]
