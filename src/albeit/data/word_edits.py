"""Cut a running text into the pieces that match given segments with the fewest word edits.

One pass of dynamic programming over the document, after Matusov et al. (2005): the words of the
text are aligned with the words of all segments, and the text is cut where the alignment passes from
one segment to the next. A cut inside a sentence, after a segment that ends one, costs extra. After
a headline, so does a cut before a lowercase letter or after a comma.

A text may be cut at white space, or next to a character of a script without spaces, each of which
is a word. Punctuation is separate from words, so that ``end.`` and ``end`` match. Words are
compared without case, width, and the shape of quotation marks, and, at a cost, by their first
letters.

In a long text, word triples that occur once on both sides, in the longest chain of equal order, are
anchors. A segment is searched between the anchors around it and some way beyond, so time and memory
grow with the length of a document, not with its square.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from albeit.arrays import BoolArray, Floats32, Ints32
from albeit.jit import jit

STOPS = frozenset(".!?…。．！？؟۔।॥")
"""Marks that end a sentence."""
CLOSERS = frozenset("”’»›)]}」』）】〉》")
"""Marks that may follow the end of a sentence and still belong to it."""
OPENERS = frozenset("“‘„‚«‹([{「『（【〈《¿¡")
"""Marks that belong to what follows."""
COMMAS = frozenset(",;:、،؛")
"""Marks that don't end a sentence; keys, so that wide ones are among them."""
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


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one text: their positions, and where a cut is allowed.

    ``keys`` are the words as they are compared, ``stems`` their first letters (a short word
    is its own stem), ``starts`` their offsets and the end of the text. Flags belong to the
    position before each word, and to the end of the text:

    - ``cuts``: the text may be cut there
    - ``lines``: there is a line break
    - ``ends``: a sentence ends there, by its punctuation
    - ``commas``: a comma or similar mark is before
    - ``smalls``: the next word is lowercase
    - ``names``: the next word has a capital throughout the text
    """

    keys: tuple[str, ...]
    stems: tuple[str, ...]
    starts: tuple[int, ...]
    cuts: BoolArray
    lines: BoolArray
    ends: BoolArray
    commas: BoolArray
    smalls: BoolArray
    names: BoolArray

    def __len__(self) -> int:
        return len(self.keys)


def read_words(text: str) -> Words:
    """Return the words of a text."""
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
            unspaced = any(map(_SPACELESS.match, text[start - 1 : start + 1]))
            cuts[i] = not opened and (spaced or unspaced)
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
    starts = (*(start for start, _ in spans), len(text))
    stems = tuple(map(_stem, keys))
    return Words(tuple(keys), stems, starts, cuts, lines, ends, commas, smalls, names)


def stems_of(text: str) -> list[str]:
    """Return the stems of the words of a text, without punctuation."""
    stems = (_stem(_key(word)) for word in _WORD.findall(text))
    return [stem for stem in stems if stem[0].isalnum()]


@lru_cache(maxsize=1 << 16)
def _key(word: str) -> str:
    if not word.isascii():
        word = unicodedata.normalize("NFKC", word.translate(_QUOTES))
    return word.casefold()


@lru_cache(maxsize=1 << 16)
def _stem(key: str) -> str:
    return key[:_STEM] if len(key) > _STEM and key.isalpha() else key


def numbered(*texts: Sequence[str]) -> list[Ints32]:
    """Map each word to a number, the same in all texts."""
    known: dict[str, int] = {}
    return [
        np.array([known.setdefault(word, len(known)) for word in text], dtype=np.int32)
        for text in texts
    ]


ALL_COMPARED = 1 << 24
"""Up to so many pairs of words, all are compared."""
MARGIN = 500
"""How many words beyond an anchor a segment is still looked for."""
WIDEST = 8_000
"""The most words a segment is looked for in."""


def corridor(words: Ints32, text: Ints32, ends: Ints32) -> tuple[Ints32, Ints32]:
    """Return the first and last place in a text where each segment may begin or end.

    ``ends`` are where the segments end in ``words``. Neither bound ever goes back, the first
    segment may begin at 0, and the last may end at the end.
    """
    count, size = len(ends), len(text)
    low, high = np.zeros(count, np.int64), np.full(count, size, np.int64)
    if len(words) * size > ALL_COMPARED:
        left, right = np.array([(0, 0), *_anchors(words, text), (len(words), size)]).T
        begins = np.concatenate([[0], ends[:-1]])
        low = right[np.searchsorted(left, begins, side="right") - 1] - MARGIN
        high = right[np.minimum(np.searchsorted(left, ends), len(left) - 1)] + MARGIN
        middle = np.interp((begins + ends) / 2, left, right).astype(np.int64)
        low = np.maximum(low, middle - WIDEST // 2).clip(0, size)
        high = np.minimum(high, middle + WIDEST // 2).clip(0, size)
        low, high = np.maximum.accumulate(low), np.maximum.accumulate(high)
        low[0], high[-1] = 0, size
        high[:-1] = np.maximum(high[:-1], low[1:])  # a segment begins where one before it can end
    return low.astype(np.int32), high.astype(np.int32)


def _anchors(words: Ints32, text: Ints32) -> list[tuple[int, int]]:
    """Return the places of triples that occur once on both sides, in the longest common order."""
    left, right = _once(words), _once(text)
    pairs = sorted((left[triple], right[triple]) for triple in left.keys() & right.keys())
    tails: list[int] = []
    tops: list[int] = []
    before = [-1] * len(pairs)
    for n, (_, place) in enumerate(pairs):
        at = bisect_left(tails, place)
        tails[at : at + 1], tops[at : at + 1] = [place], [n]
        before[n] = tops[at - 1] if at else -1
    chain: list[tuple[int, int]] = []
    n = tops[-1] if tops else -1
    while n >= 0:
        chain.append(pairs[n])
        n = before[n]
    return chain[::-1]


def _once(words: Ints32) -> dict[tuple[int, int, int], int]:
    """Return the place of each triple of words that occurs only once."""
    found: dict[tuple[int, int, int], int] = {}
    numbers = words.tolist()
    for i, triple in enumerate(zip(numbers, numbers[1:], numbers[2:], strict=False)):
        found[triple] = -1 if triple in found else i
    return {triple: i for triple, i in found.items() if i >= 0}


LOST = 1.0
"""A word without partner, on either side."""
OTHER = 1.6
"""A word for another one: less than losing both."""
STEM = 0.7
"""A word for another one with the same first letters."""
INSIDE = 6.0
"""A cut inside a sentence, where the segment ends one."""
COMMA = 2.0
"""After a segment that ends no sentence, such as a headline: a cut after a comma."""
SMALL = 2.0
"""There, too: a cut before a small letter, if the next segment does not begin with one."""
NAME = 1.0
"""And one before a word that the text never writes small: it may be anywhere."""
LINE = -1.0
"""A cut at a line break."""


def cut_by_edits(segments: Sequence[Words], text: Words, inside: float = INSIDE) -> list[int]:
    """Return the offset of the cut after each segment but the last.

    ``inside`` is what a cut costs that falls inside a sentence where the segment ends one.
    """
    keys = [key for segment in segments for key in segment.keys]
    stems = [stem for segment in segments for stem in segment.stems]
    numbers, text_numbers = numbered(keys, text.keys)
    stem_numbers, text_stems = numbered(stems, text.stems)
    ends = np.cumsum([len(segment) for segment in segments]).astype(np.int32)
    low, high = corridor(numbers, text_numbers, ends)
    pairs = pairwise([*segments, text])
    kinds = [(bool(a.ends[-1]), bool(a.commas[-1]), bool(b.smalls[0])) for a, b in pairs]
    known = sorted(set(kinds))
    price = np.stack([_cut_costs(text, inside, *kind) for kind in known])
    kind = np.array([known.index(kind) for kind in kinds], np.int8)
    segment_side = (numbers, stem_numbers, _are_words(keys))
    text_side = (text_numbers, text_stems, _are_words(text.keys))
    cuts = _cut(segment_side, ends, kind, text_side, price, low, high)
    return [text.starts[cut] for cut in cuts[:-1]]


def _are_words(keys: Sequence[str]) -> BoolArray:
    return np.array([key[0].isalnum() for key in keys], np.bool_)


def _cut_costs(text: Words, inside: float, whole: bool, comma: bool, small: bool) -> Floats32:
    """Return the cost of a cut before each word, after a segment of one kind.

    ``whole``: the segment ends a sentence. Where it does not, signs of where texts begin and
    end must do: ``comma``, that it ends with one; ``small``, that the next begins with a small
    letter.
    """
    price = LINE * text.lines
    if whole:
        price += inside * ~text.ends
    else:
        price += COMMA * (text.commas & (not comma))
        price += (SMALL * text.smalls + NAME * text.names) * (not small)
    return np.where(text.cuts, price, np.inf).astype(np.float32)


@jit
def _align(cost, came, lo, hi, segment, text):  # type: ignore[no-untyped-def]
    """Align the words of one segment with the text between two places; change cost and origin."""
    words, stems, is_word = segment
    text_words, text_stems, text_is_word = text
    lost = np.float32(LOST)
    for i in range(len(words)):
        corner, corner_from = cost[lo], came[lo]
        cost[lo] += lost
        for j in range(lo + 1, hi + 1):
            above, above_from = cost[j], came[j]
            if text_words[j - 1] == words[i]:
                step = np.float32(0.0)
            elif text_stems[j - 1] == stems[i]:
                step = np.float32(STEM)
            elif text_is_word[j - 1] == is_word[i]:
                step = np.float32(OTHER)
            else:
                step = np.float32(2 * lost)
            best, origin = corner + step, corner_from
            if above + lost < best:
                best, origin = above + lost, above_from
            if cost[j - 1] + lost < best:
                best, origin = cost[j - 1] + lost, came[j - 1]
            cost[j], came[j] = best, origin
            corner, corner_from = above, above_from


@jit
def _cut(segments, ends, kind, text, price, low, high):  # type: ignore[no-untyped-def]
    """Return the place of the cut after every segment; the last one is the end of the text.

    ``low[s]`` and ``high[s]`` bound the places where segment ``s`` may begin and end.
    """
    count = len(ends)
    rows = np.zeros(count + 1, np.int64)
    rows[1:] = np.cumsum(high.astype(np.int64) - low + 1)
    back = np.zeros(rows[count], np.int32)
    size = len(text[0]) + 1
    done = np.full(size, np.inf, np.float32)
    done[0] = 0.0
    cost = np.full(size, np.inf, np.float32)
    came = np.zeros(size, np.int32)
    first = 0
    lost = np.float32(LOST)
    for s in range(count):
        lo, hi, end = low[s], high[s], ends[s]
        for j in range(lo, hi + 1):
            cost[j], came[j] = done[j], j
            if j > lo and cost[j - 1] + lost < cost[j]:
                cost[j], came[j] = cost[j - 1] + lost, came[j - 1]
        own = segments[0][first:end], segments[1][first:end], segments[2][first:end]
        _align(cost, came, lo, hi, own, text)
        first = end
        done[:] = np.inf
        for j in range(lo, hi + 1):
            back[rows[s] + j - lo] = came[j]
            done[j] = cost[j] + (np.float32(0.0) if s == count - 1 else price[kind[s], j])
    places = np.zeros(count, np.int32)
    at = size - 1
    for s in range(count - 1, -1, -1):
        places[s] = at
        at = back[rows[s] + at - low[s]]
    return places
