"""Content words of documents by rule, for every language with a stop list: no model, no cache.

There are two, since text without spaces is cut by dictionaries that an extra installs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

from albeit.parsing.annotator import Annotator, Lines, Values
from albeit.parsing.chains import plain_reader, read_document
from albeit.parsing.content import ALPHABETIC, UNSPACED, WordForm
from albeit.parsing.layer import AnyLayer
from albeit.parsing.layers import LEMMAS, STEMS, WORDS

__all__ = ["PLAIN", "UNSPACED_PLAIN", "Plain", "UnspacedPlain"]

FORMS: dict[AnyLayer, WordForm] = {STEMS: "stem", LEMMAS: "lemma", WORDS: "word"}


class Plain(Annotator):
    """Stop lists, stemmers, and sentences by punctuation."""

    name = "plain"
    languages = ALPHABETIC
    layers = tuple(FORMS)
    version = "1"
    cached = False
    rules = True

    def analyse_documents(
        self, documents: Sequence[Lines], layers: Collection[AnyLayer], lang: str
    ) -> Iterator[Values]:
        """The content words of each line of each document."""
        readers = {layer: plain_reader(lang, FORMS[layer]) for layer in layers}
        for lines in documents:
            yield {layer: read_document(lines, reader) for layer, reader in readers.items()}


class UnspacedPlain(Plain):
    """The same where words are cut by ICU's dictionaries."""

    name = "plain-unspaced"
    languages = UNSPACED
    rules = False

    @cached_property
    def version(self) -> str:  # type: ignore[override]
        """Of the dictionaries too."""
        from albeit.parsing.unspaced import icu_version

        return f"2-icu{icu_version()}"

    def ensure(self) -> None:
        """The dictionaries come with the extra."""
        from albeit.parsing.unspaced import icu_version

        icu_version()


PLAIN = Plain()
UNSPACED_PLAIN = UnspacedPlain()
