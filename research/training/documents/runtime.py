"""The package's own document analysers on kept documents, for calibration and figures."""

from __future__ import annotations

from albeit.parsing.coreference import Sentence, find_mentions, read_document, read_sentences
from albeit.parsing.model import Model, Networks
from training.corpora.documents import Mention
from training.documents.kept import Kept


def sentences(kept: Kept, backend: Model) -> list[Sentence]:
    """The sentences of a document, read by the sentence model."""
    words = [tuple(row.words) for row in kept.document.rows]
    return read_sentences(words, backend, tagged=True)


def analyse(kept: Kept, backend: Model, networks: Networks) -> list[Mention]:
    """The mentions of a document."""
    document = read_document(sentences(kept, backend), networks)
    found = find_mentions(document, networks)
    kinds = found.kinds.argmax(1).tolist()
    rows = zip(
        found.spans.tolist(), found.heads.tolist(), found.entities.tolist(), kinds, strict=True
    )
    return [
        Mention(start, stop, head, entity, networks.labels["kind"][kind])
        for (start, stop), head, entity, kind in rows
    ]
