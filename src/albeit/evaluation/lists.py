"""Lists in, numbers out: one line of Python for a harness that has translations in memory.

>>> import albeit
>>> albeit.corpus_score(["The dog barked."], ["A dog barked."], metric="chrf") > 50
True

Rows work too: COMET's ``[{"src": …, "mt": …, "ref": …}]``, those of a Hugging Face data set, or of
any other iterable of dicts with such keys (:data:`KEYS`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from albeit.data.levels import Unit
from albeit.errors import InputError, MetricError
from albeit.evaluation.api import score
from albeit.metrics.base import Metric
from albeit.metrics.registry import metric as metric_of
from albeit.metrics.table import Column

__all__ = ["KEYS", "corpus_score", "sentence_scores"]

KEYS = {
    "hypotheses": ("mt", "hypothesis", "prediction", "output", "translation"),
    "references": ("ref", "reference", "references", "target"),
    "sources": ("src", "source"),
    "documents": ("doc", "document", "docid", "doc_id"),
}
"""What a row may call its texts: the first that it has counts."""

Texts = Iterable[str] | Iterable[Mapping[str, Any]]
References = Iterable[str] | Iterable[Iterable[str]] | Mapping[str, Iterable[str]]


def corpus_score(
    hypotheses: Texts,
    references: References | None = None,
    metric: str | Metric | None = None,
    sources: Iterable[str] | None = None,
    documents: Iterable[object] | None = None,
    *,
    lang: str = "en",
    source_lang: str | None = None,
) -> float:
    """The score of all translations together, by one metric.

    :param hypotheses: one translation per segment; or rows with all texts (:data:`KEYS`)
    :param references: one per segment; a list of several references, each with one line per
        segment (as sacreBLEU takes them); a list of references per segment (as Hugging Face's
        metrics take them); or a dict of names to lines
    :param metric: a name in the metric grammar (``"chrf"``, ``"comet(model=…)"``), or a metric;
        by default the one recommended for the languages, ``judge`` into English
    :param sources: the source of every segment, for metrics that read it
    :param documents: the document id of every segment, for metrics that read documents
    :param lang: the language translated into
    :param source_lang: the language translated from

    >>> import albeit
    >>> albeit.corpus_score(["A dog barked."], ["A dog barked."], "chrf")
    100.0
    """
    return float(
        _column(hypotheses, references, metric, sources, documents, lang, source_lang).system[0]
    )


def sentence_scores(
    hypotheses: Texts,
    references: References | None = None,
    metric: str | Metric | None = None,
    sources: Iterable[str] | None = None,
    documents: Iterable[object] | None = None,
    *,
    lang: str = "en",
    source_lang: str | None = None,
) -> list[float]:
    """The score of every segment, in order; parameters are those of :func:`corpus_score`.

    >>> import albeit
    >>> albeit.sentence_scores(["A dog barked.", "No."], ["A dog barked.", "Yes!"], "chrf")
    [100.0, 0.0]
    """
    made = None if metric is None else metric_of(metric)
    if made and made.unit is Unit.DOCUMENT:
        raise MetricError(f"{made} scores whole documents, not segments. Use corpus_score.")
    column = _column(hypotheses, references, made, sources, documents, lang, source_lang)
    return [float(value) for value in column.at("segment")[0]]


def _column(
    hypotheses: Texts,
    references: References | None,
    metric: str | Metric | None,
    sources: Iterable[str] | None,
    documents: Iterable[object] | None,
    lang: str,
    source_lang: str | None,
) -> Column:
    if isinstance(hypotheses, str | bytes) or not isinstance(hypotheses, Iterable):
        raise InputError(f"{hypotheses!r} is no list of translations.", hint="Give a list.")
    lines: list[Any] = list(hypotheses)
    beside: dict[str, Any] = {
        "references": references,
        "sources": sources,
        "documents": documents,
    }
    if lines and all(isinstance(line, Mapping) for line in lines):
        lines, beside = _of_rows(lines, beside)
    table = score(
        lines,
        None if metric is None else [metric],
        references=_references(beside["references"], len(lines)),
        source=beside["sources"],
        documents=beside["documents"],
        lang=lang,
        source_lang=source_lang,
    )
    return table[next(iter(table.columns))]


def _of_rows(
    rows: Sequence[Mapping[str, Any]], beside: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Translations and what stands beside them, from rows that hold all of it."""
    if given := [name for name, value in beside.items() if value is not None]:
        raise InputError(f"rows have their own {', '.join(given)}.", hint="Leave them out.")
    found: dict[str, list[Any] | None] = {}
    for name, keys in KEYS.items():
        key = next((key for key in keys if key in rows[0]), None)
        found[name] = None if key is None else [_value(row, key, at) for at, row in enumerate(rows)]
    lines = found.pop("hypotheses")
    if lines is None:
        raise InputError(
            f"a row has no translation; it has {', '.join(map(str, rows[0]))}.",
            hint=f"Call it one of {', '.join(KEYS['hypotheses'])}.",
        )
    return lines, dict(found)


def _value(row: Mapping[str, Any], key: str, at: int) -> Any:
    if key not in row:
        raise InputError(f"row {at + 1} has no {key!r}, and the first has.")
    return row[key]


def _references(given: Any, size: int) -> Any:
    """References by name; lists per segment are turned into one list per reference."""
    if given is None or isinstance(given, Mapping | str):
        return given
    lines = list(given)
    if not lines or any(isinstance(each, str) for each in lines):
        return lines
    several = [list(each) for each in lines]
    lengths = {len(each) for each in several}
    if len(several) != size or lengths == {1} == {size}:
        return several
    if lengths == {size}:
        raise InputError(
            f"{size} references of {size} segments can be read in two ways.",
            hint="Give a dict of names to lines.",
        )
    if len(lengths) > 1:
        counts = ", ".join(map(str, sorted(lengths)))
        raise InputError(f"segments have different numbers of references ({counts}).")
    return [list(each) for each in zip(*several, strict=True)]
