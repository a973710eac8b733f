"""Why a translation scored as it did: one value that every explanation is.

A view says what was compared (texts, cut into the metric's own tokens), what matched (links
between tokens) and where the score was lost (amounts that add up to what is missing). Trees,
lexical chains and n-grams are there where a metric compares such things. It holds nothing
but numbers, strings and tuples, so that it can be kept, sent and drawn anywhere:
``docs/explain.md`` describes its JSON, ``albeit.report.views`` renders it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from albeit.metrics.display import Displayed
from albeit.parsing.layers import Tokens
from albeit.parsing.needs import Side

__all__ = [
    "Chain",
    "Chains",
    "Compared",
    "Link",
    "Loss",
    "Ngrams",
    "Node",
    "Place",
    "Severity",
    "Tree",
    "View",
    "compared_pair",
    "f_shares",
]

Json = dict[str, object]
ChainKind = Literal["matching", "missed", "false"]
Severity = Literal["", "major", "minor"]


@dataclass(frozen=True, slots=True)
class Compared:
    """A text that took part: its side, its words and where they stand in it.

    The lines of a document are joined by line breaks. ``number`` distinguishes references, by
    their order in the set. ``tokens.forms`` are the words as they were compared (in lower
    case, say).
    """

    side: Side
    text: str
    tokens: Tokens
    number: int = 0
    name: str = ""

    def to_json(self) -> Json:
        """Tokens are [start, stop], with the form where it is not what the text has there."""
        tokens = [
            [start, stop] if self.text[start:stop] == form else [start, stop, form]
            for form, (start, stop) in zip(self.tokens.forms, self.tokens.offsets, strict=True)
        ]
        return {"side": str(self.side), "name": self.name, "text": self.text, "tokens": tokens}


@dataclass(frozen=True, slots=True)
class Place:
    """Some tokens of one text, both by number: of the text in the view, of tokens in the text."""

    text: int
    tokens: tuple[int, ...]

    def to_json(self) -> Json:
        """The two numbers."""
        return {"text": self.text, "tokens": list(self.tokens)}


@dataclass(frozen=True, slots=True)
class Link:
    """Two places that matched. ``strength`` is from 0 to 1; ``kind`` says how they met."""

    one: Place
    other: Place
    strength: float = 1.0
    kind: str = ""

    def to_json(self) -> Json:
        """Both places, the strength, the kind."""
        places = {"one": self.one.to_json(), "other": self.other.to_json()}
        return {**places, "strength": self.strength, "kind": self.kind}


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that cost score (or, with a negative amount, won some back), and where it stands.

    ``details`` are the facts behind the label, for machines. ``severity`` is how bad the metric
    takes it to be, where it distinguishes errors by that.
    """

    label: str
    amount: float
    places: tuple[Place, ...] = ()
    details: Mapping[str, str | float] = field(default_factory=dict)
    severity: Severity = ""

    def to_json(self) -> Json:
        """All fields."""
        places = [place.to_json() for place in self.places]
        found: Json = {"label": self.label, "amount": self.amount, "places": places}
        found |= {"severity": self.severity} if self.severity else {}
        return found | ({"details": dict(self.details)} if self.details else {})


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a discourse tree over tokens ``start`` to ``stop``.

    ``role`` (N, S, nothing for the root) is that in the parent; ``relation`` holds between
    the children. ``shared`` says whether the other tree has such a node: the same role and
    relation over children of the same roles and relations. ``lost`` is the part of the score
    lost here.
    """

    role: str
    relation: str
    start: int
    stop: int
    shared: bool
    lost: float
    children: tuple[Node, ...] = ()

    def walk(self) -> Iterator[Node]:
        """This node and all below, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()

    def to_json(self) -> Json:
        """All fields, children in theirs."""
        return {
            "role": self.role,
            "relation": self.relation,
            "start": self.start,
            "stop": self.stop,
            "shared": self.shared,
            "lost": self.lost,
            "children": [child.to_json() for child in self.children],
        }


@dataclass(frozen=True, slots=True)
class Tree:
    """The tree over one text of the view; no root where the text is empty."""

    text: int
    root: Node | None

    def to_json(self) -> Json:
        """The text's number and the root."""
        return {"text": self.text, "root": None if self.root is None else self.root.to_json()}


@dataclass(frozen=True, slots=True)
class Chain:
    """A word that texts say again and again, with its positions and tokens in each text.

    ``positions`` and ``tokens`` have an entry for every text of the view, empty where it does
    not have the chain. Positions count from 1, and the same number is the same place in all
    texts. ``matching`` chains stand in a reference and a hypothesis, ``missed`` ones in
    references only, ``false`` ones in hypotheses only. ``key`` (a stem, say) is what makes
    its words one.
    """

    key: str
    word: str
    kind: ChainKind
    positions: tuple[tuple[int, ...], ...]
    tokens: tuple[tuple[int, ...], ...]

    def to_json(self) -> Json:
        """All fields."""
        return {
            "key": self.key,
            "word": self.word,
            "kind": self.kind,
            "positions": [list(p) for p in self.positions],
            "tokens": [list(t) for t in self.tokens],
        }


@dataclass(frozen=True, slots=True)
class Chains:
    """The chains of a document: ``length`` positions, which stand in ``segments`` segments."""

    segments: int
    length: int
    rows: tuple[Chain, ...]

    def to_json(self) -> Json:
        """All fields."""
        rows = [row.to_json() for row in self.rows]
        return {"segments": self.segments, "positions": self.length, "rows": rows}


@dataclass(frozen=True, slots=True)
class Ngrams:
    """All n-grams of one order: each with how often hypothesis and reference have it.

    ``of`` says what they are made of. As many match as both have.
    """

    of: Literal["words", "characters"]
    order: int
    rows: tuple[tuple[str, int, int], ...]

    @property
    def hypothesis(self) -> int:
        """How many the hypothesis has."""
        return sum(ours for _, ours, _ in self.rows)

    @property
    def reference(self) -> int:
        """How many the reference has."""
        return sum(theirs for _, _, theirs in self.rows)

    @property
    def matched(self) -> int:
        """How many match."""
        return sum(min(ours, theirs) for _, ours, theirs in self.rows)

    def to_json(self) -> Json:
        """Sums, then one [n-gram, in the hypothesis, in the reference] each."""
        return {
            "of": self.of,
            "order": self.order,
            "hypothesis": self.hypothesis,
            "reference": self.reference,
            "matched": self.matched,
            "rows": [list(row) for row in self.rows],
        }


@dataclass(frozen=True, repr=False)
class View(Displayed):
    """One score explained: that of a segment or document of one system by one metric.

    The metric fills in all but ``system``, ``place`` and the names of texts, which it does not
    know: :meth:`named` does.

    :param metric: the metric's name
    :param score: the very score that the metric gives; not a number where there was nothing to score
    :param perfect: the best score there could be: the amounts of ``losses`` add up to how far the
        score is from it (where it is a number)
    :param texts: what was compared, with the metric's own tokens
    :param links: what matched
    :param losses: what the score lost, and where
    :param trees: the trees that were compared
    :param chains: the chains that were compared
    :param ngrams: the n-grams that matched, and those that did not
    :param notes: what else there is to say
    :param system: whose translation it is
    :param place: the segment's number from 1, or the document's id
    :param standard_error: how far off the score may be, where the metric says

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
        return f"<View {self.system or 'all systems'}, {kind} {self.place}: {self.metric} = {self.score:.4f}>"

    def named(self, system: str, references: Sequence[str], place: int | str) -> View:
        """The same view with the names of system and references, and where it is from."""
        names = {Side.HYPOTHESIS: [system], Side.REFERENCE: references, Side.SOURCE: ["source"]}
        texts = tuple(replace(text, name=names[text.side][text.number]) for text in self.texts)
        return replace(self, texts=texts, system=system, place=place)

    def to_json(self) -> Json:
        """Everything, as ``json.dumps`` takes it; described in ``docs/explain.md``."""
        return {
            "metric": self.metric,
            "system": self.system,
            "place": self.place,
            "score": None if math.isnan(self.score) else self.score,
            "perfect": self.perfect,
            **({} if self.standard_error is None else {"standard_error": self.standard_error}),
            "texts": [text.to_json() for text in self.texts],
            "links": [link.to_json() for link in self.links],
            "losses": [loss.to_json() for loss in self.losses],
            "trees": [tree.to_json() for tree in self.trees],
            "chains": None if self.chains is None else self.chains.to_json(),
            "ngrams": [table.to_json() for table in self.ngrams],
            "notes": list(self.notes),
        }


def compared_pair(
    hypothesis: tuple[str, Tokens], reference: tuple[str, Tokens], number: int
) -> tuple[Compared, Compared]:
    """A translation and the reference of that number, as two texts of a view."""
    return Compared(Side.HYPOTHESIS, *hypothesis), Compared(Side.REFERENCE, *reference, number)


def f_shares(precision: float, recall: float, beta: float = 1.0) -> tuple[float, float]:
    """What a lack of precision and a lack of recall each take from their F-measure F.

    1 / F is a weighted mean of 1 / precision and 1 / recall, so 1 - F is exactly the first
    share times (1 - precision) plus the second times (1 - recall). Both must be above 0.
    """
    weight = beta**2
    f = (1 + weight) * precision * recall / (weight * precision + recall)
    return f / (precision * (1 + weight)), f * weight / (recall * (1 + weight))
