"""Finds what is shouted in English: words in capitals."""

from collections.abc import Iterator, Sequence
from typing import Any

from albeit.annotate.annotator import Annotator, Values

from .layer import SHOUTS


class Capitals(Annotator):
    name = "capitals"
    languages = frozenset({"en"})
    layers = (SHOUTS,)
    version = "1"

    def analyse(self, texts: Sequence[str], layers: Any, lang: str) -> Iterator[Values]:
        for text in texts:
            words = self.tokenize(text).forms
            yield {SHOUTS: tuple(i for i, word in enumerate(words) if word.isupper())}


ANNOTATOR = Capitals()
