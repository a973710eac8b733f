"""Swedish: names are words with a capital, and all words hang on the first."""

from collections.abc import Iterator, Sequence
from typing import Any

from albeit.parsing.annotator import Annotator, Values
from albeit.parsing.layers import DEPENDENCIES, Dependencies


class Swedish(Annotator):
    name = "swedish"
    languages = frozenset({"sv"})
    layers = (DEPENDENCIES,)
    version = "1"

    def analyse(self, texts: Sequence[str], layers: Any, lang: str) -> Iterator[Values]:
        for text in texts:
            words = self.tokenize(text).forms
            tags = tuple("PROPN" if word[0].isupper() else "NOUN" for word in words)
            heads = tuple(-1 if i == 0 else 0 for i in range(len(words)))
            yield {DEPENDENCIES: Dependencies(tags, heads, ("dep",) * len(words))}


SWEDISH = Swedish()
