"""Analyses of documents made by hand."""

from __future__ import annotations

from collections.abc import Sequence

from albeit.annotate.layers import (
    COREFERENCE,
    EDUS,
    LINES,
    RST_DOCUMENT,
    SENTENCES,
    TOKENS,
    Analysis,
    Cluster,
    Mention,
    RstNode,
    Tokens,
)
from albeit.annotate.sentences import document_words
from albeit.corpus.evalset import Document
from albeit.metrics.base import Batch, Metric
from albeit.metrics.registry import metric

__all__ = ["batch", "document", "joined", "leaf", "score"]


def document(
    *lines: str,
    edus: Sequence[int] | None = None,
    tree: RstNode | None = None,
    chains: Sequence[Sequence[tuple[int, int, int]]] = (),
) -> Analysis:
    """Lines with a tree over EDUs (given by their first words; a line each unless said otherwise)
    and with chains of mentions (first word, the one after the last, head)."""
    tokens, sentences = document_words(lines)
    starts = [start for start, _ in sentences] if edus is None else list(edus)
    spans = tuple(zip(starts, [*starts[1:], len(tokens.forms)], strict=False))
    clusters = tuple(Cluster("person", tuple(Mention(*m) for m in chain)) for chain in chains)
    values = {
        LINES: lines,
        TOKENS: Tokens(tokens.forms, tokens.offsets),
        SENTENCES: sentences,
        EDUS: spans,
        RST_DOCUMENT: tree,
        COREFERENCE: clusters,
    }
    return Analysis("\n".join(lines), values)


def leaf(number: int) -> RstNode:
    """One EDU."""
    return RstNode(number, number)


def joined(left: RstNode, right: RstNode, nuclearity: str, relation: str) -> RstNode:
    """Two neighbours."""
    return RstNode(left.first, right.last, nuclearity, relation, left, right)  # type: ignore[arg-type]


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
