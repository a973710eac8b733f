"""Explanations: why a translation has its score.

A view has the texts that were compared (with the metric's tokens), what matched (links between
tokens), and where the score was lost (amounts that add up to what is missing). Trees, lexical
chains, and n-grams are included if a metric compares them. It has only numbers, strings, and
tuples, so that it can be stored and sent: ``docs/explain.md`` describes its JSON,
``albeit.report.views`` renders it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from importlib import import_module
from typing import Any, Literal

from albeit.parsing.needs import Side, Tokens

Json = dict[str, Any]
ChainKind = Literal["matching", "missed", "false"]
Severity = Literal["", "major", "minor"]


class Displayed:
    """A result that prints as text and shows as HTML in a notebook.

    ``albeit.report.views`` renders it and is imported at that time, so that imports have one
    direction.
    """

    __slots__ = ()

    def __str__(self) -> str:
        return str(import_module("albeit.report.views").as_text(self))

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return str(import_module("albeit.report.views").as_html(self))


class JsonFields:
    """A part of a view whose JSON has its fields, in order."""

    __slots__ = ()

    def to_json(self) -> Json:
        """Return the fields as plain values."""
        return {name: _to_plain(getattr(self, name)) for name in self.__dataclass_fields__}  # type: ignore[attr-defined]


def _to_plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_to_plain(each) for each in value]
    return value.to_json() if isinstance(value, JsonFields) else value


@dataclass(frozen=True, slots=True)
class Compared(JsonFields):
    """A text that was compared: its side, its tokens, and their offsets.

    The lines of a document are joined by line breaks. ``number`` is the position of a reference in
    the set. ``tokens.forms`` are the tokens as they were compared (for example in lower case).
    """

    side: Side
    text: str
    tokens: Tokens
    number: int = 0
    name: str = ""

    def to_json(self) -> Json:
        """Return tokens as [start, stop], with the form if it differs from the text."""
        tokens = [
            [start, stop] if self.text[start:stop] == form else [start, stop, form]
            for form, (start, stop) in zip(self.tokens.forms, self.tokens.offsets, strict=True)
        ]
        return {"side": str(self.side), "name": self.name, "text": self.text, "tokens": tokens}


@dataclass(frozen=True, slots=True)
class Place(JsonFields):
    """Some tokens of one text: the index of the text in the view, and indexes of tokens."""

    text: int
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Link(JsonFields):
    """Two places that match. ``strength`` is from 0 to 1; ``kind`` is the kind of match."""

    one: Place
    other: Place
    strength: float = 1.0
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Loss(JsonFields):
    """A part of the missing score (a gain if the amount is negative), and its places.

    ``details`` are the values behind the label. ``severity`` is set by metrics that distinguish
    errors by severity.
    """

    label: str
    amount: float
    places: tuple[Place, ...] = ()
    details: Mapping[str, str | float] = field(default_factory=dict)
    severity: Severity = ""

    def to_json(self) -> Json:
        """Return all fields that have a value."""
        places = [place.to_json() for place in self.places]
        content: Json = {"label": self.label, "amount": self.amount, "places": places}
        content |= {"severity": self.severity} if self.severity else {}
        return content | ({"details": dict(self.details)} if self.details else {})


@dataclass(frozen=True, slots=True)
class Node(JsonFields):
    """A node of a discourse tree over tokens ``start`` to ``stop``.

    ``role`` (N, S, empty for the root) is its role in the parent; ``relation`` is the relation
    between the children. ``shared`` says whether the other tree has such a node: the same role and
    relation over children of the same roles and relations. ``lost`` is the part of the score that
    is lost here.
    """

    role: str
    relation: str
    start: int
    stop: int
    shared: bool
    lost: float
    children: tuple[Node, ...] = ()

    def walk(self) -> Iterator[Node]:
        """Yield this node and all below, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True)
class Tree(JsonFields):
    """The tree over one text of the view; no root if the text is empty."""

    text: int
    root: Node | None


@dataclass(frozen=True, slots=True)
class Chain(JsonFields):
    """A repeated word, with its positions and tokens in each text.

    ``positions`` and ``tokens`` have an entry for every text of the view, empty if it doesn't have
    the chain. Positions count from 1, and the same number is the same position in all texts.
    ``matching`` chains are in a reference and a hypothesis, ``missed`` ones only in references,
    ``false`` ones only in hypotheses. ``key`` (for example a stem) identifies the chain.
    """

    key: str
    word: str
    kind: ChainKind
    positions: tuple[tuple[int, ...], ...]
    tokens: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Chains(JsonFields):
    """The chains of a document with ``length`` positions in ``segments`` segments."""

    segments: int
    length: int
    rows: tuple[Chain, ...]

    def to_json(self) -> Json:
        """Return all fields."""
        rows = _to_plain(self.rows)
        return {"segments": self.segments, "positions": self.length, "rows": rows}


@dataclass(frozen=True, slots=True)
class Ngrams(JsonFields):
    """All n-grams of one order, each with its counts in hypothesis and reference.

    ``of`` is what they consist of. The smaller count of both matches.
    """

    of: Literal["words", "characters"]
    order: int
    rows: tuple[tuple[str, int, int], ...]

    @property
    def sums(self) -> dict[str, int]:
        """The number of n-grams of each text, and of those that match."""
        matched = sum(min(ours, theirs) for _, ours, theirs in self.rows)
        hypothesis, reference = sum(row[1] for row in self.rows), sum(row[2] for row in self.rows)
        return {"hypothesis": hypothesis, "reference": reference, "matched": matched}

    def to_json(self) -> Json:
        """Return sums, then one [n-gram, count in the hypothesis, count in the reference] each."""
        rows = _to_plain(self.rows)
        return {"of": self.of, "order": self.order, **self.sums, "rows": rows}


@dataclass(frozen=True, repr=False)
class View(Displayed):
    """The explanation of one score: of a segment or document of one system by one metric.

    The metric sets all fields except ``system``, ``place``, and the names of texts, which
    :meth:`named` sets.

    :param metric: the metric's name
    :param score: the metric's score; not a number if there was nothing to score
    :param perfect: the best possible score: the amounts of ``losses`` add up to the difference
        between it and the score (if that is a number)
    :param texts: what was compared, with the metric's tokens
    :param links: what matched
    :param losses: what the score lost, and where
    :param trees: the trees that were compared
    :param chains: the chains that were compared
    :param ngrams: the n-grams that matched, and those that didn't
    :param notes: remarks
    :param system: the system of the translation
    :param place: the segment's number from 1, or the document's id
    :param standard_error: the standard error of the score, if the metric has one

    >>> import albeit
    >>> view = albeit.explain(albeit.read("examples/demo"), "ter", segments=[2])[0]
    >>> view.system, view.place, float(sum(loss.amount for loss in view.losses))
    ('blunt', 2, 18.75)
    """

    metric: str
    score: float
    perfect: float
    texts: tuple[Compared, ...]
    links: tuple[Link, ...] = ()
    losses: tuple[Loss, ...] = ()
    trees: tuple[Tree, ...] = ()
    chains: Chains | None = None
    ngrams: tuple[Ngrams, ...] = ()
    notes: tuple[str, ...] = ()
    system: str = ""
    place: int | str = 0
    standard_error: float | None = None

    def __repr__(self) -> str:
        kind = "segment" if isinstance(self.place, int) else "document"
        where = f"{self.system or 'all systems'}, {kind} {self.place}"
        return f"<View {where}: {self.metric} = {self.score:.4f}>"

    def named(self, system: str, references: Sequence[str], place: int | str) -> View:
        """Return the view with the names of system and references, and its place in the set."""
        names = {Side.HYPOTHESIS: [system], Side.REFERENCE: references, Side.SOURCE: ["source"]}
        texts = tuple(replace(text, name=names[text.side][text.number]) for text in self.texts)
        return replace(self, texts=texts, system=system, place=place)

    def to_json(self) -> Json:
        """Return everything as ``json.dumps`` takes it; described in ``docs/explain.md``."""
        error = self.standard_error
        parts = ("texts", "links", "losses", "trees", "chains", "ngrams", "notes")
        return {
            "metric": self.metric,
            "system": self.system,
            "place": self.place,
            "score": None if math.isnan(self.score) else self.score,
            "perfect": self.perfect,
            **({} if error is None else {"standard_error": error}),
            **{part: _to_plain(getattr(self, part)) for part in parts},
        }


def compare_pair(
    hypothesis: tuple[str, Tokens], reference: tuple[str, Tokens], number: int
) -> tuple[Compared, Compared]:
    """Return a translation and the reference of that number, as two texts of a view."""
    return Compared(Side.HYPOTHESIS, *hypothesis), Compared(Side.REFERENCE, *reference, number)


def compare_words(side: Side, text: str, words: Sequence[str], number: int = 0) -> Compared:
    """Return a line as a text of a view, with the metric's words where they are in the line."""
    return Compared(side, text, locate(text, words), number)


def compare_lines(
    side: Side, lines: Sequence[str], language: str, number: int = 0
) -> tuple[Compared, list[int]]:
    """Return lines as one text of a view, split into words; and the index of each first word."""
    from albeit.metrics.connectives import cut

    forms: list[str] = []
    offsets: list[tuple[int, int]] = []
    first_words: list[int] = []
    position = 0
    for line in lines:
        words = cut(line, language)
        first_words.append(len(forms))
        forms += words.forms
        offsets += [(position + start, position + stop) for start, stop in words.offsets]
        position += len(line) + 1
    tokens = Tokens(tuple(forms), tuple(offsets))
    return Compared(side, "\n".join(lines), tokens, number), first_words


def locate(text: str, words: Sequence[str]) -> Tokens:
    """Find the offsets of a metric's words in the original text; empty if a word isn't in it.

    Metrics change case, resolve entities, drop punctuation, or split words. The remaining
    characters are in the text in the same order.
    """
    original = [(char, i) for i, c in enumerate(text) if not c.isspace() for char in c.lower()]
    compared = [
        (char, i) for i, w in enumerate(words) for c in w if not c.isspace() for char in c.lower()
    ]
    left, right = ("".join(char for char, _ in side) for side in (original, compared))
    blocks = (
        [(0, 0, len(left))]
        if left == right
        else SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
    )
    positions: list[list[int]] = [[] for _ in words]
    for a, b, size in blocks:
        for k in range(size):
            positions[compared[b + k][1]].append(original[a + k][1])
    offsets: list[tuple[int, int]] = []
    end = 0
    for own in positions:
        start, end = (own[0], own[-1] + 1) if own else (end, end)
        offsets.append((start, end))
    return Tokens(tuple(words), tuple(offsets))


def divide_loss(precision: float, recall: float, beta: float = 1.0) -> tuple[float, float]:
    """Return the shares of an F-measure F that low precision and low recall cost.

    1 / F is a weighted mean of 1 / precision and 1 / recall, so 1 - F is exactly the first
    share times (1 - precision) plus the second times (1 - recall). Both must be above 0.
    """
    weight = beta**2
    f = (1 + weight) * precision * recall / (weight * precision + recall)
    return f / (precision * (1 + weight)), f * weight / (recall * (1 + weight))
