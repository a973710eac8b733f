"""The words of a running text, as the segmentation by edits compares them.

Punctuation stands apart from the word it touches, so that ``end.`` and ``end`` still match;
but a text may be cut only where white space is, or beside a character of a script that is
written without spaces, each of which is a word here. Words are compared without case, width
and the shape of quotation marks, and, more loosely, by their first letters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

__all__ = ["Words", "numbered", "read_words"]

STOPS = frozenset(".!?…。．！？؟۔।॥")
"""Marks that end a sentence."""
CLOSERS = frozenset("”’»›)]}」』）】〉》")
"""Marks that may follow the end of a sentence and still belong to it."""
OPENERS = frozenset("“‘„‚«‹([{「『（【〈《¿¡")
"""Marks that belong to what follows."""
COMMAS = frozenset(",;:、،؛")
"""Marks after which a sentence goes on; keys, so that wide ones are among them."""
_STRAIGHT = frozenset("\"'")

SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f"
)
"""Scripts without spaces: Thai, Lao, Burmese, Khmer, kana, Han."""
_WORD = re.compile(rf"[{SPACELESS}]|(?:(?![{SPACELESS}])\w)+|[^\w\s]")
_SPACELESS = re.compile(f"[{SPACELESS}\u3000-\u303f\uff00-\uffef]")
_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»「」『』″", '"') | dict.fromkeys("‘’‚‛‹›´`′", "'"))
_STEM = 4
"""Words that share so many first letters, and are longer, match loosely."""

Ints = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one text: where they stand, what they are, where a cut is allowed.

    ``keys`` are the words as they are compared, ``stems`` their first letters (a short word
    is its own stem). Flags belong to the place before each word, and to the end of the text:
    ``cuts`` whether the text may be cut there, ``lines`` whether a line break stands there,
    ``ends`` whether a sentence ends there, by its punctuation, ``commas`` whether a comma or
    the like stands before, ``smalls`` whether the next word begins with a small letter,
    ``names`` whether it has a capital that the text always gives it.
    """

    text: str
    keys: tuple[str, ...]
    stems: tuple[str, ...]
    starts: tuple[int, ...]
    cuts: Flags
    lines: Flags
    ends: Flags
    commas: Flags
    smalls: Flags
    names: Flags

    def __len__(self) -> int:
        return len(self.keys)

    def offset(self, i: int) -> int:
        """Where word ``i`` begins; the end of the text after the last."""
        return self.starts[i] if i < len(self) else len(self.text)


def read_words(text: str) -> Words:
    """The words of a text."""
    spans = [match.span() for match in _WORD.finditer(text)]
    size = len(spans)
    keys = [_key(text[a:b]) for a, b in spans]
    cuts, lines, ends = (np.zeros(size + 1, np.bool_) for _ in range(3))
    cuts[0] = cuts[size] = True
    ended, opened = True, False  # a sentence begins where the text does
    for i, (start, stop) in enumerate(spans):
        mark = text[start]
        spaced = i > 0 and spans[i - 1][1] < start
        bound = stop == len(text) or text[stop].isspace()
        if i:
            cuts[i] = not opened and (spaced or _unspaced(text, start))
            lines[i] = spaced and "\n" in text[spans[i - 1][1] : start]
        ends[i] = ended
        opened = mark in OPENERS or (mark in _STRAIGHT and spaced and not bound)
        closes = mark in CLOSERS or (mark in _STRAIGHT and bound and not spaced)
        if (closes or mark in STOPS) and (bound or not spaced):
            cuts[i] = ends[i] = False
        if mark in STOPS:
            ended = True
        elif opened or not (closes or mark in _STRAIGHT):
            ended = False
    ends[size] = ended and size > 0
    commas, smalls, names = (np.zeros(size + 1, np.bool_) for _ in range(3))
    commas[1:] = [key in COMMAS for key in keys]
    initials = [text[start] for start, _ in spans]
    known = {key for key, initial in zip(keys, initials, strict=True) if initial.islower()}
    for i in range(size - 1, -1, -1):
        smalls[i] = initials[i].islower() if initials[i].isalnum() else smalls[i + 1]
        names[i] = initials[i].isupper() and keys[i] not in known
    starts = tuple(start for start, _ in spans)
    stems = tuple(map(_stem, keys))
    return Words(text, tuple(keys), stems, starts, cuts, lines, ends, commas, smalls, names)


def _unspaced(text: str, place: int) -> bool:
    """Whether a character beside this place is of a script without spaces, or its punctuation."""
    return any(map(_SPACELESS.match, text[place - 1 : place + 1]))


@lru_cache(maxsize=1 << 16)
def _key(word: str) -> str:
    if not word.isascii():
        word = unicodedata.normalize("NFKC", word.translate(_QUOTES))
    return word.casefold()


@lru_cache(maxsize=1 << 16)
def _stem(key: str) -> str:
    return key[:_STEM] if len(key) > _STEM and key.isalpha() else key


def numbered(*texts: Sequence[str]) -> list[Ints]:
    """The same number for the same word, in all texts."""
    known: dict[str, int] = {}
    return [
        np.array([known.setdefault(word, len(known)) for word in text], dtype=np.int32)
        for text in texts
    ]
