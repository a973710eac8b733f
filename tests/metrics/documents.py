"""Analyses of documents made by hand."""

from __future__ import annotations

from collections.abc import Sequence

from albeit.data.evalset import Document
from albeit.metrics.base import Batch, Metric
from albeit.metrics.registry import metric
from albeit.parsing.layers import (
    COREFERENCE,
    LINES,
    SENTENCES,
    TOKENS,
    Analysis,
    Cluster,
    Mention,
    Tokens,
)
from albeit.parsing.sentences import document_words

__all__ = ["batch", "document", "score"]


def document(
    *lines: str,
    chains: Sequence[Sequence[tuple[int, int, int]]] = (),
) -> Analysis:
    """Lines with chains of mentions (first word, the one after the last, head)."""
    tokens, sentences = document_words(lines)
    clusters = tuple(
        Cluster("person", "", "", "", tuple(Mention(*m) for m in chain)) for chain in chains
    )
    values = {
        LINES: lines,
        TOKENS: Tokens(tokens.forms, tokens.offsets),
        SENTENCES: sentences,
        COREFERENCE: clusters,
    }
    return Analysis("\n".join(lines), values)


def batch(hypothesis: Analysis, *references: Analysis) -> Batch:
    """One document beside its references."""
    lines = hypothesis[LINES]
    analyses = {each[LINES]: each for each in (hypothesis, *references)}
    return Batch(
        lines,
        [each[LINES] for each in references],
        None,
        [Document("d", 0, len(lines))],
        document_analyses=analyses,
    )


def score(spec: str | Metric, hypothesis: Analysis, *references: Analysis) -> float:
    """The score of one document."""
    chosen = metric(spec)
    return float(chosen.score(chosen.statistics(batch(hypothesis, *references), None))[0])
