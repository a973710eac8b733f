"""The English model on whole documents: one tree over all sentences, and coreference."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from albeit.annotate.annotator import Lines
from albeit.annotate.annotators.english import English
from albeit.annotate.documents.words import document_words
from albeit.annotate.layer import AnyLayer, Labels
from albeit.annotate.layers import (
    ANTECEDENTS,
    COREFERENCE,
    EDUS,
    LINES,
    RST_DOCUMENT,
    SENTENCES,
    TOKENS,
)
from albeit.corpus.levels import Unit

if TYPE_CHECKING:
    from albeit.annotate.documents.document import Heads
    from albeit.annotate.encoder import Backend

__all__ = ["ENGLISH_DOCUMENTS", "EnglishDocuments"]


class EnglishDocuments(English):
    """The sentence model with the networks over documents; words are counted over the document."""

    name = "english-documents"
    layers = (EDUS, RST_DOCUMENT, COREFERENCE, ANTECEDENTS)
    units = frozenset({Unit.DOCUMENT})

    def __init__(self, model: Backend | None = None, networks: Heads | None = None) -> None:
        super().__init__(model)
        self._networks = networks

    @property
    def networks(self) -> Heads:
        """The networks over documents."""
        if self._networks is None:
            from albeit.annotate.model import load_document_model

            self._networks = load_document_model()
        return self._networks

    @property
    def labels(self) -> Labels:
        """Those of the networks over documents."""
        return self.networks.labels

    @property
    def version(self) -> str:  # type: ignore[override]
        """Of both models, and of the rules that cut words."""
        return f"{super().version}-{self.networks.version}"

    def ground(self, content: Lines) -> dict[AnyLayer, Any]:  # type: ignore[override]
        """The lines, and their words and sentences counted over the document."""
        tokens, sentences = document_words(content)
        return {LINES: content, TOKENS: tokens, SENTENCES: sentences}

    def records(  # type: ignore[override]
        self, contents: Sequence[Lines], layers: Collection[AnyLayer], lang: str
    ) -> Iterator[tuple[Lines, dict[AnyLayer, bytes]]]:
        """Document by document."""
        from albeit.annotate.documents.pipeline import analyse

        return analyse(contents, layers, self.model, self.networks)


ENGLISH_DOCUMENTS = EnglishDocuments()
