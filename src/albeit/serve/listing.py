"""Which metrics can be offered for a language."""

from __future__ import annotations

__all__ = ["usable_metrics"]


def usable_metrics(lang: str, source_lang: str | None) -> list[dict[str, object]]:
    """Names, summaries and units of all metrics that can score translations into it."""
    from albeit.engine import unusable
    from albeit.metrics.registry import load, metric, names

    found = []
    for name in names():
        cls = load(name)
        try:
            made = metric(name)
        except Exception:
            continue
        if not unusable(made, lang, source_lang):
            found.append({"name": name, "summary": cls.summary, "unit": str(cls.level)})
    return found
