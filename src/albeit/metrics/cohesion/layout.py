"""The chains of a document in several texts, side by side: words, positions, one numbering."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from albeit.metrics.view import Chain, ChainKind, Chains, Compared
from albeit.parsing.content import UNSPACED, ContentWords, common_units
from albeit.parsing.layers import DocumentWords, Tokens, chains
from albeit.parsing.layers.documents import Sentence, positions
from albeit.parsing.needs import Side

__all__ = ["DocumentText", "lay_out"]

Word = tuple[str, str, int, int]
"""A word, its key, its start, and its end."""


@dataclass(frozen=True)
class DocumentText:
    """One text of a document: its lines, and its content words as the metric reads them."""

    side: Side
    lines: tuple[str, ...]
    words: DocumentWords
    number: int = 0
    name: str = ""


def lay_out(
    texts: Sequence[DocumentText], content: ContentWords
) -> tuple[tuple[Compared, ...], Chains]:
    """Return the texts with their content words as tokens, and the chains of all texts.

    Sentences inside segments are numbered by the first reference's.
    """
    places, length = _positions(texts)
    found = [chains(bits) for bits in places]
    tokens = [_tokens(text, content) for text in texts]
    forms: dict[str, Counter[str]] = {}
    numbers: list[dict[str, list[int]]] = [{} for _ in texts]
    for words, where in zip(tokens, numbers, strict=True):
        for n, (form, key, _, _) in enumerate(words):
            forms.setdefault(key, Counter())[form.lower()] += 1
            where.setdefault(key, []).append(n)
    rows = []
    for key in dict.fromkeys(key for bits in found for key in bits):
        word = min(forms[key], key=lambda w: (-forms[key][w], w)) if key in forms else key
        at = tuple(_numbers(bits.get(key, 0)) for bits in found)
        which = tuple(
            tuple(own.get(key, ())) if there else () for own, there in zip(numbers, at, strict=True)
        )
        rows.append(Chain(key, word, _kind(texts, at), at, which))
    order: tuple[ChainKind, ...] = ("matching", "missed", "false")
    rows.sort(key=lambda row: (order.index(row.kind), -sum(map(bool, row.positions)), row.word))
    compared = []
    for text, words in zip(texts, tokens, strict=True):
        own_forms, _, starts, stops = zip(*words, strict=True) if words else ((), (), (), ())
        own = Tokens(own_forms, tuple(zip(starts, stops, strict=True)))
        compared.append(Compared(text.side, "\n".join(text.lines), own, text.number, text.name))
    return tuple(compared), Chains(len(texts[0].lines), length, tuple(rows))


def _numbers(bits: int) -> tuple[int, ...]:
    """Return the positions of a chain, counted from 1."""
    return tuple(place + 1 for place in range(bits.bit_length()) if bits >> place & 1)


def _positions(texts: Sequence[DocumentText]) -> tuple[list[dict[str, int]], int]:
    """Return each word's positions in each text, in one numbering, and the number of positions."""
    first = next((n for n, text in enumerate(texts) if text.side == Side.REFERENCE), 0)
    order = [first, *(n for n in range(len(texts)) if n != first)]
    sentences: list[list[Sentence]] = [[] for _ in texts]
    count = 0
    for segment in zip(*(texts[n].words.segments for n in order), strict=True):
        numbered = common_units(segment)
        size = 1 + max(unit for units in numbered for unit in units)
        for n, own, units in zip(order, segment, numbered, strict=True):
            merged: list[list[str]] = [[] for _ in range(size)]
            for sentence, unit in zip(own, units, strict=True):
                merged[unit] += sentence
            sentences[n] += merged
        count += size
    return [positions(found) for found in sentences], count


def _kind(texts: Sequence[DocumentText], at: Sequence[tuple[int, ...]]) -> ChainKind:
    """Return which texts have a chain; of references alone, whether all have it."""
    wanted = [bool(p) for text, p in zip(texts, at, strict=True) if text.side == Side.REFERENCE]
    held = [bool(p) for text, p in zip(texts, at, strict=True) if text.side == Side.HYPOTHESIS]
    if not any(wanted):
        return "false"
    matching = any(held) if held else all(wanted)
    return "matching" if matching else "missed"


def _tokens(text: DocumentText, content: ContentWords) -> list[Word]:
    """Return the content words that were read, with their offsets in the joined lines."""
    found: list[Word] = []
    begin = 0
    for line, sentences in zip(text.lines, text.words.segments, strict=True):
        words = _locate(line, content)
        for key in (key for sentence in sentences for key in sentence):
            word = next((w for w in words if w[1] == key), None)
            if word is None:  # written in a way that no search of the line finds again
                break
            found.append((word[0], key, begin + word[2], begin + word[3]))
        begin += len(line) + 1
    return found


def _locate(line: str, content: ContentWords) -> Iterator[Word]:
    """Find the content words of a line; only unspaced languages find them inside other words."""
    folded = line.lower() if line.isascii() else "".join(map(_lower, line)).replace("’", "'")
    whole = content.lang not in UNSPACED
    place = 0
    for word, key in content.words(line):
        start = _find(word, folded, place, whole=whole)
        if start < 0:
            yield word, key, place, place
        else:
            place = start + len(word)
            yield line[start:place], key, start, place


def _lower(character: str) -> str:
    """Return the lower case, unless it has two characters."""
    small = character.lower()
    return small if len(small) == 1 else character


def _find(word: str, text: str, place: int, *, whole: bool) -> int:
    """Return the next start of a word in a text, or -1; not in another word if ``whole``."""
    while (start := text.find(word, place)) >= 0:
        around = text[start - 1 : start] + text[start + len(word) : start + len(word) + 1]
        if not whole or not any(c.isalnum() or c == "_" for c in around):
            return start
        place = start + 1
    return -1
