"""From documents to packed layers.

Documents are taken in chunks that bound the memory; within a chunk each distinct sentence is
read once. What is over documents is computed document by document.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from albeit.parsing.documents.antecedents import clusters, pronouns
from albeit.parsing.documents.coreference import find_mentions
from albeit.parsing.documents.document import Heads, Sentence, read_document, read_sentences
from albeit.parsing.encoder import Backend
from albeit.parsing.layer import Part, pack_numbers
from albeit.parsing.layers import ANTECEDENTS, COREFERENCE, EDUS, AnyLayer
from albeit.parsing.sentences import document_words

__all__ = ["CHUNK", "analyse"]

CHUNK = 1024
"""About how many sentences are read together."""
Lines = tuple[str, ...]


@dataclass(slots=True)
class _Chunk:
    """Documents as numbers of distinct sentences."""

    documents: list[tuple[Lines, list[int]]] = field(default_factory=list)
    sentences: dict[tuple[str, ...], int] = field(default_factory=dict)

    def add(self, lines: Lines) -> None:
        tokens, spans = document_words(lines)
        words = (tokens.forms[first:stop] for first, stop in spans)
        numbers = [self.sentences.setdefault(each, len(self.sentences)) for each in words]
        self.documents.append((lines, numbers))


def analyse(
    documents: Sequence[Lines], layers: Collection[AnyLayer], backend: Backend, networks: Heads
) -> Iterator[tuple[Lines, dict[AnyLayer, bytes]]]:
    """The packed layers of each document, chunk by chunk."""
    chunk = _Chunk()
    for lines in documents:
        chunk.add(lines)
        if len(chunk.sentences) >= CHUNK:
            yield from _analysed(chunk, layers, backend, networks)
            chunk = _Chunk()
    yield from _analysed(chunk, layers, backend, networks)


def _analysed(
    chunk: _Chunk, layers: Collection[AnyLayer], backend: Backend, networks: Heads
) -> Iterator[tuple[Lines, dict[AnyLayer, bytes]]]:
    read = read_sentences(list(chunk.sentences), backend, tagged=_linked(layers))
    for lines, numbers in chunk.documents:
        yield lines, _records([read[k] for k in numbers], layers, networks)


def _records(
    sentences: Sequence[Sentence], layers: Collection[AnyLayer], networks: Heads
) -> dict[AnyLayer, bytes]:
    """The layers of one document."""
    if not sentences:
        return {
            layer: layer.pack(()) if layer in (COREFERENCE, ANTECEDENTS) else pack_numbers([])
            for layer in layers
        }
    found: dict[AnyLayer, bytes] = {}
    if EDUS in layers:
        parts = []
        at = 0
        for sentence in sentences:
            parts.append(Part(sentence.edus.tolist(), len(sentence.words), at))
            at += len(sentence.words)
        found[EDUS] = pack_numbers(EDUS.join(parts))
    if _linked(layers):
        document = read_document(sentences, networks)
        mentions = find_mentions(document, networks)
        if COREFERENCE in layers:
            found[COREFERENCE] = COREFERENCE.pack(clusters(document, mentions, networks.labels))
        if ANTECEDENTS in layers:
            found[ANTECEDENTS] = ANTECEDENTS.pack(pronouns(document, mentions, networks.labels))
    return found


def _linked(layers: Collection[AnyLayer]) -> bool:
    """Whether mentions must be found and linked."""
    return COREFERENCE in layers or ANTECEDENTS in layers
