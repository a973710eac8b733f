"""Finds what is shouted in English, words in capitals, and brings the layer for it."""

from collections.abc import Iterator, Sequence
from typing import Any

from albeit.parsing.annotator import Annotator, Values
from albeit.parsing.layers import TOKENS, Layer


class Shouts(Layer[tuple[int, ...]]):
    name = "shouts"
    rests_on = (TOKENS,)

    def empty(self) -> tuple[int, ...]:
        return ()

    def to_json(self, value: tuple[int, ...]) -> Any:
        return list(value)

    def from_json(self, data: Any) -> tuple[int, ...]:
        return tuple(map(int, data))


SHOUTS = Shouts()


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
