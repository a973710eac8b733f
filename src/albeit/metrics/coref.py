"""Coreference chains of a translation against those of its reference.

A mention is a pronoun, a name, or a noun. Pronouns are recognized by their form; a name is a head
with a capital letter that the document also has inside a sentence. Heads are compared by their
stem, pronouns by person, number, and gender (*he*, *him*, and *his* are one).

Chains are paired one to one, those first that share most. Two mentions of paired chains match if
they are at the same position. A match counts 1 with the same head, and 0.5 with another word or
another kind of mention (a pronoun for a name).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar, Literal

import numpy as np

from albeit.metrics import Batch, Context, Document, DocumentMetric, FloatArray, document_needs
from albeit.metrics.cohesion import NOTHING_KEPT, NOTHING_TO_KEEP, Average
from albeit.metrics.view import Chain, ChainKind, Chains, Link, Loss, Place, View, compare_pair
from albeit.parsing.content import content_words, match_sentences
from albeit.parsing.layers import COREFERENCE, LINES, SENTENCES, TOKENS, Analysis, Tokens
from albeit.parsing.traits import CLASS, PRONOUNS
from albeit.resources import stemmer

COLUMNS = ("credit", "held", "wanted", "met", "same kind", "pronoun for name", "name for pronoun")
"""The statistics of a document; *name* here is a name or a noun."""
_OTHER_WORD = 0.5
"""The credit of a match with another head."""
_ORDER: tuple[ChainKind, ...] = ("matching", "missed", "false")
Match = tuple[int, int, bool]
"""Two mentions by their numbers, and whether their heads are the same."""


@dataclass(frozen=True, slots=True)
class _Mention:
    """Words ``start`` to ``stop`` of the document; ``head`` is what is compared."""

    chain: int
    sentence: int
    start: int
    stop: int
    kind: Literal["pronoun", "name", "noun"]
    head: str

    @property
    def words(self) -> range:
        return range(self.start, self.stop)

    def place(self, text: int) -> Place:
        return Place(text, tuple(self.words))


@dataclass(frozen=True)
class Mentions:
    """All mentions of a document's chains in order, and its sentences, by line, as content words.

    A chain is an entity with two mentions or more.
    """

    text: str
    tokens: Tokens
    mentions: tuple[_Mention, ...]
    lines: tuple[tuple[tuple[str, ...], ...], ...]

    def chains(self) -> dict[int, list[int]]:
        """Return the numbers of each chain's mentions."""
        found: dict[int, list[int]] = defaultdict(list)
        for number, mention in enumerate(self.mentions):
            found[mention.chain].append(number)
        return found


def read_mentions(analysis: Analysis) -> Mentions:
    """Return the mentions of a document."""
    forms, spans = analysis[TOKENS].forms, analysis[SENTENCES]
    starts = [start for start, _ in spans]
    inner = {form for a, b in spans for form in forms[a + 1 : b] if form[:1].isupper()}
    stem = stemmer("en")
    mentions: list[_Mention] = []
    clusters = (cluster for cluster in analysis[COREFERENCE] if len(cluster.mentions) > 1)
    for chain, cluster in enumerate(clusters):
        for mention in cluster.mentions:
            form = forms[mention.head]
            sentence = bisect_right(starts, mention.head) - 1
            kind: Literal["pronoun", "name", "noun"] = "name" if form in inner else "noun"
            head = stem(form.lower())
            if person := CLASS.get(form.lower()):
                kind, head = "pronoun", PRONOUNS[person - 1][0]
            mentions.append(_Mention(chain, sentence, mention.start, mention.stop, kind, head))
    key = content_words("en", "stem").key
    begins = list(accumulate((len(line) + 1 for line in analysis[LINES]), initial=0))
    lines: list[list[tuple[str, ...]]] = [[] for _ in analysis[LINES]]
    for start, stop in spans:
        line = bisect_right(begins, analysis[TOKENS].offsets[start][0]) - 1
        lines[line].append(tuple(filter(None, map(key, forms[start:stop]))))
    return Mentions(analysis.text, analysis[TOKENS], tuple(mentions), tuple(map(tuple, lines)))


def positions(left: Mentions, right: Mentions) -> tuple[Sequence[int], Sequence[int], int]:
    """Return the position of every sentence of both texts, and the number of positions.

    Lines are positions. If a line of either text has several sentences, both are matched in
    order, and sentences that are matched together are one position.
    """
    found: tuple[list[int], list[int]] = ([], [])
    count = 0
    for lines in zip(left.lines, right.lines, strict=True):
        for ranges in match_sentences(*lines):
            for own, (start, stop) in zip(found, ranges, strict=True):
                own += [count] * (stop - start)
            count += 1
    return *found, count


@dataclass(frozen=True)
class _Matched:
    """What two texts of a document share.

    ``positions`` are those of each text's mentions; ``chains`` the paired chains, translation
    to reference; ``matches`` the mentions that match.
    """

    positions: tuple[Sequence[int], Sequence[int]]
    length: int
    chains: dict[int, int]
    matches: tuple[Match, ...]


def _match(hypothesis: Mentions, reference: Mentions) -> _Matched:
    """Pair the chains of two texts, and their mentions."""
    left, right, length = positions(hypothesis, reference)
    places = (
        [left[mention.sentence] for mention in hypothesis.mentions],
        [right[mention.sentence] for mention in reference.mentions],
    )
    wanted = _by_position(reference, places[1])
    matches: dict[tuple[int, int, int], list[Match]] = {}
    shared: dict[tuple[int, int], float] = defaultdict(float)
    for place, chains in _by_position(hypothesis, places[0]).items():
        for chain, numbers in chains.items():
            for partner, others in wanted.get(place, {}).items():
                own = _match_heads(hypothesis, numbers, reference, others)
                matches[place, chain, partner] = own
                shared[chain, partner] += sum(_credit(same) for _, _, same in own)
    pairs: dict[int, int] = {}
    for chain, partner in sorted(shared, key=lambda pair: (-shared[pair], pair)):
        if chain not in pairs and partner not in pairs.values():
            pairs[chain] = partner
    kept = [own for (_, chain, other), own in matches.items() if pairs.get(chain) == other]
    return _Matched(places, length, pairs, tuple(match for own in kept for match in own))


def _by_position(mentions: Mentions, places: Sequence[int]) -> dict[int, dict[int, list[int]]]:
    """Group mentions by position and chain."""
    found: dict[int, dict[int, list[int]]] = defaultdict(dict)
    for number, (mention, place) in enumerate(zip(mentions.mentions, places, strict=True)):
        found[place].setdefault(mention.chain, []).append(number)
    return found


def _match_heads(
    hypothesis: Mentions, own: Sequence[int], reference: Mentions, others: Sequence[int]
) -> list[Match]:
    """Match mentions of two chains at one position: same heads first, then the others in order."""
    left, right = list(own), list(others)
    matches: list[Match] = []
    for a in own:
        head = hypothesis.mentions[a].head
        b = next((b for b in right if reference.mentions[b].head == head), None)
        if b is not None:
            matches.append((a, b, True))
            left.remove(a)
            right.remove(b)
    return matches + [(a, b, False) for a, b in zip(left, right, strict=False)]


def _credit(same: bool) -> float:
    return 1.0 if same else _OTHER_WORD


@dataclass(frozen=True)
class Coref(DocumentMetric):
    """The share of mentions that the reference has at the same position, of the same entity.

    ``average`` is over the translation's mentions (precision), the reference's (recall) or
    both (f). Statistics are counts of mentions, so the score of several documents is that of
    their mentions together.
    """

    average: Average = "f"

    name = "coref"
    summary = "who is meant where: coreference chains by reference (document)"
    columns = COLUMNS
    judged = ("mentions of the reference", ("wanted",))
    needs = document_needs(LINES, TOKENS, SENTENCES, COREFERENCE)
    width: ClassVar[int] = len(COLUMNS)
    """How many numbers a row of statistics has."""

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return counts of mentions per document, against its best reference."""
        rows = np.zeros((len(batch.references), len(batch.documents), len(COLUMNS)))
        for d, document in enumerate(batch.documents):
            hypothesis, *references = _read(batch, document)
            for r, reference in enumerate(references):
                rows[r, d] = _count(hypothesis, reference, _match(hypothesis, reference))
        return self.best_rows(rows)

    def score(self, sums: FloatArray) -> FloatArray:
        """Return precision, recall, or F of mentions."""
        credit, held, wanted = (sums[..., n] for n in range(3))
        whole = {"precision": held, "recall": wanted, "f": (held + wanted) / 2}[self.average]
        found = np.where(whole > 0, credit / np.maximum(whole, 1e-9), NOTHING_KEPT)
        return np.asarray(np.where(held + wanted > 0, found, NOTHING_TO_KEEP))

    def details(self, sums: FloatArray) -> dict[str, float | list[float]]:
        """Return the counts by name."""
        return {name: float(value) for name, value in zip(COLUMNS, sums, strict=True)}

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Show the chains of a document and of the reference, and the loss of each.

        Every mention weighs the same: 1 over the mentions of the translation for precision, of
        the reference for recall, of both for F. A mention loses what its match doesn't credit.
        """
        hypothesis, *references = _read(batch, batch.documents[0])
        matched = [_match(hypothesis, reference) for reference in references]
        rows = np.array([_count(hypothesis, *p) for p in zip(references, matched, strict=True)])
        best = int(self.score(rows).argmax())
        pair, found = (hypothesis, references[best]), matched[best]
        chains, losses = self._chains(pair, found)
        missing = 1 - float(self.segment_score(row))
        if not losses and missing > 0:
            losses.append(Loss("only one of the texts has chains", missing))
        left, right = ((each.text, each.tokens) for each in pair)
        texts = compare_pair(left, right, best)
        links = [_link(pair, *match) for match in found.matches]
        shown = Chains(len(hypothesis.lines), found.length, tuple(chains))
        return self.view(row, texts, links, losses, chains=shown)

    def _chains(
        self, texts: tuple[Mentions, Mentions], matched: _Matched
    ) -> tuple[list[Chain], list[Loss]]:
        """Return the chains of both texts, and their losses."""
        numbers = [each.chains() for each in texts]
        partners = {partner: chain for chain, partner in matched.chains.items()}
        pairs: list[tuple[int | None, int | None]] = [(partners.get(n), n) for n in numbers[1]]
        pairs += [(chain, None) for chain in numbers[0] if chain not in matched.chains]
        credit = [{match[n]: _credit(match[2]) for match in matched.matches} for n in (0, 1)]
        weights = self._weights(len(texts[0].mentions), len(texts[1].mentions))
        chains, losses = [], []
        for pair in pairs:
            own = [[] if one is None else numbers[n][one] for n, one in enumerate(pair)]
            chain = _chain(pair, own, texts, matched)
            chains.append(chain)
            lost = 0.0
            places = []
            for n, number in [(side, number) for side in (0, 1) for number in own[side]]:
                missing = 1 - credit[n].get(number, 0.0)
                lost += weights[n] * missing
                if missing > 0:
                    places.append(texts[n].mentions[number].place(n))
            if lost:
                losses.append(Loss(f"{chain.word}: {chain.kind}", lost, tuple(places)))
        chains.sort(key=lambda one: (_ORDER.index(one.kind), -sum(map(len, one.tokens))))
        return chains, losses

    def _weights(self, held: int, wanted: int) -> tuple[float, float]:
        """Return the weight of a mention of each text; 0 if only one of the texts has any."""
        if not held or not wanted:
            return 0.0, 0.0
        both = 1 / (held + wanted)
        weights = {"f": (both, both), "precision": (1 / held, 0.0), "recall": (0.0, 1 / wanted)}
        return weights[self.average]


def _read(batch: Batch, document: Document) -> list[Mentions]:
    """Return the mentions of a document's translation and of its references."""
    return [
        batch.document_analyses[tuple(lines[document.rows])].memoize(Mentions, read_mentions)
        for lines in (batch.hypotheses, *batch.references)
    ]


def _count(hypothesis: Mentions, reference: Mentions, matched: _Matched) -> list[float]:
    """Return the statistics of a document against one reference."""
    left, right, matches = hypothesis.mentions, reference.mentions, matched.matches
    kinds = [(left[a].kind, right[b].kind) for a, b, _ in matches]
    return [
        sum(_credit(same) for _, _, same in matches),
        len(left),
        len(right),
        len(matches),
        sum(one == other for one, other in kinds),
        sum(one == "pronoun" != other for one, other in kinds),
        sum(other == "pronoun" != one for one, other in kinds),
    ]


def _chain(
    pair: tuple[int | None, int | None],
    own: Sequence[Sequence[int]],
    texts: tuple[Mentions, Mentions],
    matched: _Matched,
) -> Chain:
    """Return a chain in both texts, named by its first mention that isn't a pronoun."""
    kind: ChainKind = "missed" if pair[0] is None else "false" if pair[1] is None else "matching"
    side = 0 if pair[1] is None else 1
    mentions = [texts[side].mentions[n] for n in own[side]]
    named = next((m for m in mentions if m.kind != "pronoun"), mentions[0])
    word = " ".join(texts[side].tokens.forms[named.start : named.stop])
    places, tokens = [], []
    for n, numbers in enumerate(own):
        places.append(tuple(sorted({matched.positions[n][k] + 1 for k in numbers})))
        own_words = {word for k in numbers for word in texts[n].mentions[k].words}
        tokens.append(tuple(sorted(own_words)))
    return Chain(f"{side}.{pair[side]}", word, kind, tuple(places), tuple(tokens))


def _link(texts: tuple[Mentions, Mentions], a: int, b: int, same: bool) -> Link:
    one, other = texts[0].mentions[a], texts[1].mentions[b]
    kind = one.kind if one.kind == other.kind else f"{one.kind} for {other.kind}"
    return Link(one.place(0), other.place(1), _credit(same), kind)
