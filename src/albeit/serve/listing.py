"""Which metrics can be offered for a language."""

from __future__ import annotations

from functools import lru_cache

from albeit.corpus.evalset import EvalSet, documents_from_ids
from albeit.engine import check
from albeit.errors import AlbeitError
from albeit.languages import normalise
from albeit.metrics.registry import metric, names

__all__ = ["usable_metrics"]


def usable_metrics(lang: str, source_lang: str | None) -> list[dict[str, str]]:
    """Names, summaries and units of all metrics that can score translations into it."""
    return _usable(normalise(lang), normalise(source_lang) if source_lang else None)


@lru_cache(maxsize=64)
def _usable(lang: str, source_lang: str | None) -> list[dict[str, str]]:
    """Each metric is asked whether it could score two documents of a line in these languages."""
    lines = ("Although it rained, she went.", "It was late.")
    documents = documents_from_ids(("one", "two"))
    probe = EvalSet({"ref": lines}, {"system": lines}, lines, documents, source_lang, lang)
    found = []
    for name in names():
        try:
            made = metric(name)
            check(probe, [made])
        except (AlbeitError, TypeError):  # another language, or parameters that must be given
            continue
        found.append({"name": name, "summary": made.summary, "unit": str(made.unit)})
    return found
