"""Content words of documents by rule, for every language with a stop list: no model, no cache."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from albeit.annotate.annotator import Annotator, Lines, Values
from albeit.annotate.chains import plain_reader, read_document
from albeit.annotate.content import LANGUAGES, WordForm
from albeit.annotate.layer import AnyLayer
from albeit.annotate.layers import LEMMAS, STEMS, WORDS

__all__ = ["PLAIN", "Plain"]

FORMS: dict[AnyLayer, WordForm] = {STEMS: "stem", LEMMAS: "lemma", WORDS: "word"}


class Plain(Annotator):
    """Stop lists, stemmers, and sentences by punctuation."""

    name = "plain"
    languages = LANGUAGES
    layers = tuple(FORMS)
    version = "1"
    cached = False

    def analyse_documents(
        self, documents: Sequence[Lines], layers: Collection[AnyLayer], lang: str
    ) -> Iterator[Values]:
        """The content words of each line of each document."""
        readers = {layer: plain_reader(lang, FORMS[layer]) for layer in layers}
        for lines in documents:
            yield {layer: read_document(lines, reader) for layer, reader in readers.items()}


PLAIN = Plain()
