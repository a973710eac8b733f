"""The mentions of a document as they are compared: where each stands, its head, and what it is.

A mention is a pronoun, a name or a noun. Pronouns are recognised by their form; a name is a head
with a capital letter, which the document also writes so inside a sentence. The head is
compared by its stem, a pronoun by its person, number and gender (*he*, *him* and *his* are one).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from albeit.annotate.content import content_words
from albeit.annotate.documents.evidence import CLASS, PRONOUNS
from albeit.annotate.layers import COREFERENCE, LINES, SENTENCES, TOKENS, Analysis
from albeit.annotate.realign import match_sentences
from albeit.resources import stemmer

__all__ = ["Kind", "Mention", "Mentions", "read_mentions", "units"]

Kind = Literal["pronoun", "name", "noun"]


@dataclass(frozen=True, slots=True)
class Mention:
    """Words ``start`` to ``stop`` of the document; ``head`` is what it is compared by."""

    chain: int
    sentence: int
    start: int
    stop: int
    kind: Kind
    head: str


@dataclass(frozen=True)
class Mentions:
    """All mentions of a document's chains in order, and its sentences, by line, as content words.

    A chain is an entity with two mentions or more. ``first`` is the first sentence of each line.
    """

    mentions: tuple[Mention, ...]
    lines: tuple[tuple[tuple[str, ...], ...], ...]
    first: tuple[int, ...]


def read_mentions(analysis: Analysis) -> Mentions:
    """The mentions of a document."""
    forms, spans = analysis[TOKENS].forms, analysis[SENTENCES]
    starts = [start for start, _ in spans]
    inner = {
        forms[word]
        for start, stop in spans
        for word in range(start + 1, stop)
        if forms[word][:1].isupper()
    }
    stem = stemmer("en")

    def read(chain: int, start: int, stop: int, head: int) -> Mention:
        form = forms[head]
        person = CLASS.get(form.lower())
        sentence = bisect_right(starts, head) - 1
        if person:
            kind: Kind = "pronoun"
            return Mention(chain, sentence, start, stop, kind, PRONOUNS[person - 1].split()[0])
        kind = "name" if form in inner else "noun"
        return Mention(chain, sentence, start, stop, kind, stem(form.lower()))

    chains = (cluster for cluster in analysis[COREFERENCE] if len(cluster.mentions) > 1)
    found = [
        read(chain, mention.start, mention.stop, mention.head)
        for chain, cluster in enumerate(chains)
        for mention in cluster.mentions
    ]
    content = content_words("en", "stem")
    words = [tuple(filter(None, map(content.key, forms[start:stop]))) for start, stop in spans]
    begins = list(accumulate((len(line) + 1 for line in analysis[LINES]), initial=0))
    offsets = analysis[TOKENS].offsets
    line_of = [bisect_right(begins, offsets[start][0]) - 1 for start in starts]
    lines: list[list[tuple[str, ...]]] = [[] for _ in analysis[LINES]]
    for line, own in zip(line_of, words, strict=True):
        lines[line].append(own)
    first = accumulate(map(len, lines), initial=0)
    return Mentions(tuple(found), tuple(map(tuple, lines)), tuple(first)[:-1])


def units(left: Mentions, right: Mentions) -> tuple[Sequence[int], Sequence[int], int]:
    """The position of every sentence of both texts, and how many positions there are.

    Lines are positions; where a line of either text holds several sentences, both are matched
    in order, and what is matched together is one position.
    """
    ours: list[int] = []
    theirs: list[int] = []
    count = 0
    for mine, yours in zip(left.lines, right.lines, strict=True):
        for (i, j), (k, m) in match_sentences(mine, yours):
            ours += [count] * (j - i)
            theirs += [count] * (m - k)
            count += 1
    return ours, theirs, count
