"""Segments and documents that are annotated by hand, and their scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from albeit import Batch, Document, View, metric
from albeit.parsing import layers
from albeit.parsing.sentences import document_words


def columns(table: str) -> list[tuple[str, ...]]:
    """The columns of a table whose cells are divided by ``|``."""
    rows = [[cell.strip() for cell in line.split("|")] for line in table.strip("\n").splitlines()]
    return list(zip(*rows, strict=True))


def segment(text: str, values: Mapping[layers.AnyLayer, Any]) -> layers.Analysis:
    """A segment of words between spaces, with these annotations."""
    forms = tuple(text.split())
    tokens = layers.Tokens(forms, tuple((0, 0) for _ in forms))
    return layers.Analysis(text, {layers.TOKENS: tokens, **values})


def segment_batch(hypothesis: layers.Analysis, *references: layers.Analysis) -> Batch:
    """One segment against its references."""
    texts = [[reference.text] for reference in references]
    found = {each.text: each for each in (hypothesis, *references)}
    return Batch([hypothesis.text], texts, None, [Document("d", 0, 1)], analyses=found)


def segment_score(spec: str, hypothesis: layers.Analysis, *references: layers.Analysis) -> float:
    """The score of one segment."""
    chosen = metric(spec)
    rows = chosen.statistics(segment_batch(hypothesis, *references), None)
    return float(chosen.segment_score(rows)[0])


def document(*lines: str, chains: Sequence[Sequence[tuple[int, int, int]]] = ()) -> layers.Analysis:
    """Lines with chains of mentions (first word, the one after the last, head)."""
    tokens, sentences = document_words(lines)
    clusters = tuple(
        layers.Cluster("person", "", "", "", tuple(layers.Mention(*m) for m in chain))
        for chain in chains
    )
    values = {
        layers.LINES: lines,
        layers.TOKENS: layers.Tokens(tokens.forms, tokens.offsets),
        layers.SENTENCES: sentences,
        layers.COREFERENCE: clusters,
    }
    return layers.Analysis("\n".join(lines), values)


def batch(hypothesis: layers.Analysis, *references: layers.Analysis) -> Batch:
    """One document against its references."""
    found = {each[layers.LINES]: each for each in (hypothesis, *references)}
    lines, *texts = (each[layers.LINES] for each in (hypothesis, *references))
    return Batch(lines, texts, None, [Document("d", 0, len(lines))], document_analyses=found)


def score(spec: str, hypothesis: layers.Analysis, *references: layers.Analysis) -> float:
    """The score of one document."""
    chosen = metric(spec)
    return float(chosen.score(chosen.statistics(batch(hypothesis, *references), None))[0])


def explained(spec: str, texts: Batch) -> View:
    """The explanation of the only row of a batch."""
    chosen = metric(spec)
    return chosen.explain(texts, None, chosen.statistics(texts, None)[0])
