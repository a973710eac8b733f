"""Fifteen languages by one encoder: words, sentences and contextual vectors (``albeit[multilingual]``)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

from albeit.annotate.annotator import Annotator, Values
from albeit.annotate.layer import AnyLayer, Span
from albeit.annotate.layers import SENTENCES, VECTORS, Tokens
from albeit.annotate.sentences import splitter

__all__ = ["LANGUAGES", "MULTILINGUAL", "RULES", "Multilingual"]

LANGUAGES = frozenset(
    ["ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh"]
)
"""What the encoder learned; Chinese in both scripts."""
RULES = "3"
"""Goes up whenever words or sentences are cut differently, or vectors worked out differently."""


class Multilingual(Annotator):
    """The convolutional multilingual sentence encoder, its rows kept a subword."""

    name = "multilingual"
    languages = LANGUAGES
    layers = (SENTENCES, VECTORS)

    @cached_property
    def version(self) -> str:  # type: ignore[override]
        """Of the weights, of the dictionaries, and of the rules that cut words."""
        from albeit.annotate.multilingual import VERSION
        from albeit.annotate.multilingual.words import icu_version

        return f"{VERSION}-icu{icu_version()}-w{RULES}"

    def ensure(self) -> None:
        """The encoder's files and ICU come with the extra."""
        from albeit.annotate.multilingual import files
        from albeit.annotate.multilingual.words import icu_version

        files()
        icu_version()

    def identity(self, lang: str) -> str:
        """Vectors are the same whatever the language is said to be; sentences are not."""
        return f"{self.version}-{lang}"

    def tokenize(self, text: str) -> Tokens:
        """By script."""
        from albeit.annotate.multilingual.words import cut_words

        return cut_words(text)

    def analyse(
        self, texts: Sequence[str], layers: Collection[AnyLayer], lang: str
    ) -> Iterator[Values]:
        """Vectors from the encoder, sentences by punctuation."""
        if VECTORS not in layers:
            for text in texts:
                yield {SENTENCES: sentences(text, self.tokenize(text), lang)}
            return
        from albeit.annotate.multilingual.states import read_texts

        for text, read in zip(texts, read_texts(texts), strict=True):
            found: dict[AnyLayer, object] = {VECTORS: read.vectors}
            if SENTENCES in layers:
                found[SENTENCES] = sentences(text, read.tokens, lang)
            yield found


def sentences(text: str, tokens: Tokens, lang: str) -> tuple[Span, ...]:
    """Sentences as ranges of words that cover all words."""
    if not tokens:
        return ()
    stops: list[int] = []
    at = 0
    for sentence in splitter(lang)(text):
        at = text.index(sentence, at) + len(sentence)
        stops.append(at)
    starts = [0]
    for stop in stops[:-1]:
        first = next((k for k, (a, _) in enumerate(tokens.offsets) if a >= stop), len(tokens))
        if starts[-1] < first < len(tokens):
            starts.append(first)
    return tuple(zip(starts, [*starts[1:], len(tokens)], strict=True))


MULTILINGUAL = Multilingual()
