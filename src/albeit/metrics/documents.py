"""What metrics over whole documents share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from albeit.data.evalset import Document
from albeit.data.levels import Unit
from albeit.metrics.base import Batch, Context, Metric
from albeit.metrics.connectives.words import cut
from albeit.metrics.view import Compared
from albeit.parsing.layers import Analysis, AnyLayer, Tokens
from albeit.parsing.needs import Need, Side, layers_of

__all__ = ["DocumentMetric", "compared_lines", "document_needs", "texts_of"]


@dataclass(frozen=True)
class DocumentMetric(Metric):
    """A metric over analyses of whole documents, which a model makes."""

    unit: ClassVar[Unit] = Unit.DOCUMENT

    @property
    def exact(self) -> bool:
        """A network reads the documents."""
        return False

    def versions(self, context: Context = None) -> dict[str, str]:
        """The annotator of documents."""
        from albeit.parsing import version

        layers = layers_of(self.needs, *Side, unit=Unit.DOCUMENT)
        return super().versions(context) | {"documents": version("en", layers, Unit.DOCUMENT)}


def texts_of(batch: Batch, document: Document) -> tuple[Analysis, list[Analysis]]:
    """The analyses of a document's translation and of its references."""
    found = [
        batch.document_analyses[tuple(lines[document.rows])]
        for lines in (batch.hypotheses, *batch.references)
    ]
    return found[0], found[1:]


def document_needs(
    *layers: AnyLayer, sides: Iterable[Side] = (Side.HYPOTHESIS, Side.REFERENCE)
) -> frozenset[Need]:
    """These layers of whole documents, of the translation and of its references."""
    return frozenset(Need(layer, side, Unit.DOCUMENT) for side in sides for layer in layers)


def compared_lines(
    side: Side, lines: Sequence[str], language: str, number: int = 0
) -> tuple[Compared, list[int]]:
    """Lines as one text of a view, with the words of :func:`cut`; and each line's first word in it."""
    forms: list[str] = []
    offsets: list[tuple[int, int]] = []
    bases: list[int] = []
    at = 0
    for line in lines:
        words = cut(line, language)
        bases.append(len(forms))
        forms += words.forms
        offsets += [(at + start, at + stop) for start, stop in words.offsets]
        at += len(line) + 1
    return Compared(side, "\n".join(lines), Tokens(tuple(forms), tuple(offsets)), number), bases
