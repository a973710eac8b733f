"""How rare a word is in any of the fifteen languages, by the encoder's own subwords.

Its SentencePiece model gives each subword a log-probability, learned over text in all these
languages; a word is as rare as its subwords on average. What is on average, not together: a
long word is not rare for being cut into many. Vowel signs of Arabic, which few texts write, do not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from albeit.annotate.multilingual.pieces import log_probabilities
from albeit.annotate.multilingual.words import readable

__all__ = ["Rarity"]


class Rarity(Mapping[str, float]):
    """The mean −log p of every word there is; worked out when it is asked for."""

    def __getitem__(self, word: str) -> float:
        return _rarity(word)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


@lru_cache(maxsize=1 << 17)
def _rarity(word: str) -> float:
    found = log_probabilities(readable(word)[0])
    return -sum(found) / len(found)
