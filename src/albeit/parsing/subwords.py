"""From words to what the encoder reads: subword ids, casing, and where each word begins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from albeit.parsing.tokenize import plain_forms

__all__ = ["CLS", "SEP", "Encoded", "Subwords", "casing"]

CLS, SEP, UNK = 101, 102, 100
Ints = npt.NDArray[np.int64]
_REMEMBERED = 1 << 18


def casing(word: str) -> int:
    """1 no capitals, 2 first letter only, 3 all capitals, 4 otherwise mixed, 5 no letters."""
    lower = word.lower()
    upper = word.upper()
    if lower == upper:
        return 5
    if word == lower:
        return 1
    if word[1:] == word[1:].lower():
        return 2
    return 3 if word == upper else 4


@dataclass(frozen=True, slots=True)
class Encoded:
    """Many sentences, one after the other, without special tokens and padding.

    ``ids`` and ``cases`` are flat over all subwords; sentence ``s`` has the subwords
    ``starts[s]`` to ``starts[s + 1]`` and the words ``word_starts[s]`` to
    ``word_starts[s + 1]``; ``first`` gives each word's first subword within its sentence.
    """

    ids: Ints
    cases: Ints
    starts: Ints
    word_starts: Ints
    first: Ints

    def __len__(self) -> int:
        return len(self.starts) - 1


class Subwords:
    """Cuts words into subwords; remembers the words it has seen.

    ``core`` gives the part of a word whose casing counts, where words come with punctuation.
    """

    def __init__(self, path: Path, core: Callable[[str], str] = str) -> None:
        from tokenizers import Tokenizer

        self._core = core
        self._tokenizer: Any = Tokenizer.from_file(str(path))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._known: dict[str, tuple[list[int], int]] = {}

    def __call__(self, sentences: Sequence[Sequence[str]]) -> Encoded:
        """Encode sentences of words; a word has at least one subword."""
        self._learn({word for sentence in sentences for word in sentence})
        known = self._known
        ids: list[int] = []
        cases: list[int] = []
        counts: list[int] = []
        for sentence in sentences:
            for word in sentence:
                pieces, case = known[word]
                ids += pieces
                cases.append(case)
                counts.append(len(pieces))
        sizes = np.array(counts, np.int64)
        word_starts = np.zeros(len(sentences) + 1, np.int64)
        np.cumsum([len(sentence) for sentence in sentences], out=word_starts[1:])
        before = np.zeros(len(counts) + 1, np.int64)
        np.cumsum(sizes, out=before[1:])
        starts = before[word_starts]
        first = before[:-1] - np.repeat(starts[:-1], np.diff(word_starts))
        return Encoded(
            np.array(ids, np.int64),
            np.repeat(np.array(cases, np.int64), sizes),
            starts,
            word_starts,
            first,
        )

    def _learn(self, words: set[str]) -> None:
        new = [word for word in words if word not in self._known]
        if not new:
            return
        if len(self._known) + len(new) > _REMEMBERED:
            self._known.clear()
            new = list(words)
        # a lone surrogate is no text that the tokenizer could read
        plain = [w.encode("utf-8", "replace").decode("utf-8") for w in plain_forms(new)]
        batch = self._tokenizer.encode_batch(plain, add_special_tokens=False)
        for word, seen, encoding in zip(new, plain, batch, strict=True):
            self._known[word] = (encoding.ids or [UNK], casing(self._core(seen)))
