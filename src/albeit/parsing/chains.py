"""Find lexical chains (Gong and Zhou 2015): the content words that a document repeats.

A chain is a content word (or its stem) with the positions of two or more sentences. Positions are
the bits of an integer, so the common positions of two chains are one ``&``. If a segment of
either text has several sentences, the sentences of both are matched in order first: one to one,
one to several, several to one, or to none. A pair of sentences costs less the more content words
it has in common. A match is one position, so positions of both texts can be compared.

Two annotators find content words by rule, without the model, for every language with a stop list.
Languages without spaces have their own, because an extra installs their dictionaries.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property

from albeit.parsing.annotator import Annotator, Lines, Values
from albeit.parsing.content import ALPHABETIC, UNSPACED, WordForm, content_words
from albeit.parsing.layers import (
    LEMMAS,
    STEMS,
    WORDS,
    AnyLayer,
    DocumentWords,
)
from albeit.parsing.layers.documents import Sentence, positions
from albeit.parsing.sentences import splitter
from albeit.parsing.tokenize import icu_version

Match = tuple[tuple[int, int], tuple[int, int]]
"""Ranges of sentences of one text, and of the other."""

WIDEST = 4
"""The most sentences that are matched with one."""
MERGE_COST = 0.1
"""Cost of each sentence beyond a pair, so that one to one wins between equals."""
SKIP_COST = 0.55
"""Cost of a sentence without a partner: more than half of an unlike pair."""
SHAPES = (
    (1, 1),
    *((1, n) for n in range(2, WIDEST + 1)),
    *((n, 1) for n in range(2, WIDEST + 1)),
    (1, 0),
    (0, 1),
)


def match_sentences(
    left: Sequence[Sequence[str]], right: Sequence[Sequence[str]]
) -> tuple[Match, ...]:
    """Return the cheapest monotone matching of sentences, given as content words."""
    if len(left) == len(right) == 1:
        return (((0, 1), (0, 1)),)
    left_words, right_words = _merged(left), _merged(right)

    def price(match: Match) -> float:
        (i, j), (k, m) = match
        if i == j or k == m:
            return SKIP_COST
        sentences, unlike = j - i + m - k, _unlike(left_words[i, j], right_words[k, m])
        return sentences / 2 * unlike + MERGE_COST * (sentences - 2)

    return _cheapest(len(left), len(right), price)


def _cheapest(rows: int, columns: int, price: Callable[[Match], float]) -> tuple[Match, ...]:
    """Return the cheapest path through two texts; among equals the first of ``SHAPES`` wins."""
    best: dict[tuple[int, int], tuple[float, Match | None]] = {(0, 0): (0.0, None)}
    for i in range(rows + 1):
        for j in range(columns + 1):
            if i == j == 0:
                continue
            options: list[tuple[float, Match | None]] = []
            for a, b in SHAPES:
                if a <= i and b <= j and (i - a, j - b) in best:
                    match = ((i - a, i), (j - b, j))
                    options.append((best[i - a, j - b][0] + price(match), match))
            if options:
                best[i, j] = min(options, key=lambda option: option[0])
    found: list[Match] = []
    place = (rows, columns)
    while (last := best[place][1]) is not None:
        found.append(last)
        place = (last[0][0], last[1][0])
    return tuple(reversed(found))


def _merged(sentences: Sequence[Sequence[str]]) -> dict[tuple[int, int], frozenset[str]]:
    """Return the words of every run of up to ``WIDEST`` sentences."""
    count = len(sentences)
    return {
        (i, j): frozenset(word for sentence in sentences[i:j] for word in sentence)
        for i in range(count)
        for j in range(i + 1, min(i + WIDEST, count) + 1)
    }


def _unlike(left: frozenset[str], right: frozenset[str]) -> float:
    """Return 1 minus the share of common words; 0.5 if there are no words."""
    if not left and not right:
        return 0.5
    return 1.0 - 2 * len(left & right) / (len(left) + len(right))


def common_units(texts: Sequence[Sequence[Sequence[str]]]) -> list[list[int]]:
    """Return one numbering for the sentences of several texts of a segment.

    Sentences of the first text that another text has as one are one unit. A sentence without a
    partner is a unit of its own, unless it is inside such a unit. Sentences without a partner at
    the same position of several texts have the same number.
    """
    first, *others = texts
    matches = [match_sentences(first, other) for other in others]
    joined = {
        place for match in matches for (start, stop), _ in match for place in range(start + 1, stop)
    }
    heads = [max(p for p in range(place + 1) if p not in joined) for place in range(len(first))]
    numbered = [[(head, 0) for head in heads]]
    for other, match in zip(others, matches, strict=True):
        mine: list[tuple[int, int]] = [(0, 0)] * len(other)
        current = (-1, 0)
        for (start, stop), (begin, end) in match:
            if stop > start or start in joined:
                current = (heads[start], 0)
            else:
                current = (current[0], current[1] + 1)
            for place in range(begin, end):
                mine[place] = current
        numbered.append(mine)
    units = sorted({place for mine in numbered for place in mine})
    number = {place: n for n, place in enumerate(units)}
    return [[number[place] for place in mine] for mine in numbered]


def aligned_positions(
    left: DocumentWords, right: DocumentWords
) -> tuple[dict[str, int], dict[str, int]]:
    """Return comparable positions of two texts of one document."""
    if left.single and right.single:
        return left.places, right.places
    sides: tuple[list[Sentence], list[Sentence]] = ([], [])
    for ours, theirs in zip(left.segments, right.segments, strict=True):
        for spans in match_sentences(ours, theirs):
            for side, sentences, (start, stop) in zip(sides, (ours, theirs), spans, strict=True):
                side.append([key for sentence in sentences[start:stop] for key in sentence])
    return positions(sides[0]), positions(sides[1])


FORMS: dict[AnyLayer, WordForm] = {STEMS: "stem", LEMMAS: "lemma", WORDS: "word"}


class Plain(Annotator):
    """Content words by stop lists and stemmers, and sentences by punctuation."""

    name = "plain"
    languages = ALPHABETIC
    layers = tuple(FORMS)
    version = "1"
    cached = False
    rules = True

    def analyse_documents(
        self, documents: Sequence[Lines], layers: Collection[AnyLayer], lang: str
    ) -> Iterator[Values]:
        """Yield the content words of each document."""
        split = splitter(lang)
        content = {layer: content_words(lang, FORMS[layer]) for layer in layers}
        for lines in documents:
            sentences = [split(line) for line in lines]
            yield {
                layer: DocumentWords(tuple([[*map(words.keys, line)] for line in sentences]))
                for layer, words in content.items()
            }


class UnspacedPlain(Plain):
    """The same, with words from ICU's dictionaries."""

    name = "plain-unspaced"
    languages = UNSPACED
    rules = False

    @cached_property
    def version(self) -> str:  # type: ignore[override]
        """The version, with that of the dictionaries."""
        return f"2-icu{icu_version()}"

    def ensure(self) -> None:
        """Raise an error if the extra with the dictionaries isn't installed."""
        icu_version()


PLAIN = Plain()
UNSPACED_PLAIN = UnspacedPlain()
