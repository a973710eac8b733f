"""The chains of a document in several texts, side by side: words, places, one numbering."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from albeit.metrics.view import Chain, ChainKind, Chains, Compared
from albeit.parsing.content import UNSPACED, ContentWords, Relation, groups
from albeit.parsing.layers import ENTITIES, TOKENS, Analysis, DocumentWords, Tokens, chains
from albeit.parsing.layers.documents import Sentence, positions
from albeit.parsing.needs import Side
from albeit.parsing.chains import common_units

__all__ = ["DocumentText", "joined", "lay_out", "leaders"]

Word = tuple[str, str, int, int]
"""A word, its key, and where it starts and stops in its line."""


@dataclass(frozen=True)
class DocumentText:
    """One text of a document: its lines, and its content words as the metric reads them."""

    side: Side
    lines: tuple[str, ...]
    words: DocumentWords
    number: int = 0
    name: str = ""


def lay_out(
    texts: Sequence[DocumentText],
    content: ContentWords,
    relation: Relation | None = None,
    analyses: Mapping[str, Analysis] | None = None,
) -> tuple[tuple[Compared, ...], Chains]:
    """The texts with their content words as tokens, and the chains of them all.

    Sentences inside segments are numbered by the first reference's. ``relation`` joins words,
    the same in all texts; ``analyses`` are where entities were read.
    """
    places, length = _positions(texts)
    leader = leaders(places, relation)
    found = [chains(joined(bits, leader)) for bits in places]
    tokens = [_tokens(text, content, analyses) for text in texts]
    keys = [[leader.get(key, key) for _, key, _, _ in words] for words in tokens]
    forms: dict[str, Counter[str]] = {}
    numbers: list[dict[str, list[int]]] = [{} for _ in texts]
    for words, own, where in zip(tokens, keys, numbers, strict=True):
        for n, ((form, *_), key) in enumerate(zip(words, own, strict=True)):
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
    compared = tuple(
        Compared(text.side, "\n".join(text.lines), Tokens(*_columns(words)), text.number, text.name)
        for text, words in zip(texts, tokens, strict=True)
    )
    return compared, Chains(len(texts[0].lines), length, tuple(rows))


def _columns(words: Sequence[Word]) -> tuple[tuple[str, ...], tuple[tuple[int, int], ...]]:
    return tuple(w[0] for w in words), tuple((w[2], w[3]) for w in words)


def _numbers(bits: int) -> tuple[int, ...]:
    """The positions of a chain, counted from 1."""
    return tuple(place + 1 for place in range(bits.bit_length()) if bits >> place & 1)


def _positions(texts: Sequence[DocumentText]) -> tuple[list[dict[str, int]], int]:
    """Each word's positions in each text, in one numbering; and how many there are."""
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


def leaders(places: Sequence[Mapping[str, int]], relation: Relation | None) -> dict[str, str]:
    """Which word stands for each group of related words; nothing where words stand alone."""
    if relation is None:
        return {}
    known = sorted({key for bits in places for key in bits})
    frequency = {key: sum(bits.get(key, 0).bit_count() for bits in places) for key in known}
    return dict(groups(frequency, relation))


def joined(bits: Mapping[str, int], leader: Mapping[str, str]) -> dict[str, int]:
    """The positions of groups of words."""
    found: dict[str, int] = {}
    for key, places in bits.items():
        head = leader.get(key, key)
        found[head] = found.get(head, 0) | places
    return found


def _kind(texts: Sequence[DocumentText], at: Sequence[tuple[int, ...]]) -> ChainKind:
    """Where a chain stands; of references alone, whether all have it."""
    wanted = [bool(p) for text, p in zip(texts, at, strict=True) if text.side == Side.REFERENCE]
    held = [bool(p) for text, p in zip(texts, at, strict=True) if text.side == Side.HYPOTHESIS]
    if not any(wanted):
        return "false"
    if not held:
        return "matching" if all(wanted) else "missed"
    return "matching" if any(held) else "missed"


def _tokens(
    text: DocumentText, content: ContentWords, analyses: Mapping[str, Analysis] | None
) -> list[Word]:
    """The content words that were read, where they stand in the joined lines."""
    found: list[Word] = []
    begin = 0
    for line, sentences in zip(text.lines, text.words.segments, strict=True):
        words = _analysed(analyses[line], content) if analyses else _plain(line, content)
        for key in (key for sentence in sentences for key in sentence):
            word = next((w for w in words if w[1] == key), None)
            if word is None:  # written in a way that no search of the line finds again
                break
            found.append((word[0], key, begin + word[2], begin + word[3]))
        begin += len(line) + 1
    return found


def _plain(line: str, content: ContentWords) -> Iterator[Word]:
    """Content words by stop list; words are distinguished from parts of words except without spaces."""
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
    """In lower case, unless that takes two characters."""
    small = character.lower()
    return small if len(small) == 1 else character


def _find(word: str, text: str, place: int, *, whole: bool) -> int:
    """Where a word next stands in a text, not as a part of another one if ``whole``; -1: nowhere."""
    while (start := text.find(word, place)) >= 0:
        around = text[start - 1 : start] + text[start + len(word) : start + len(word) + 1]
        if not whole or not any(c.isalnum() or c == "_" for c in around):
            return start
        place = start + 1
    return -1


def _analysed(analysis: Analysis, content: ContentWords) -> Iterator[Word]:
    """All words of an analysis, entities as one word too."""
    tokens = analysis[TOKENS]
    entities = {e.start: e.stop for e in analysis.get(ENTITIES) or ()}
    for place, (form, (start, stop)) in enumerate(zip(tokens.forms, tokens.offsets, strict=True)):
        end = entities.get(place, place + 1)
        if end > place + 1:
            key = "_".join(f.lower() for f in tokens.forms[place:end])
            last = tokens.offsets[end - 1][1]
            yield analysis.text[start:last], key, start, last
        yield form, content.key(form), start, stop
