"""Compare marked errors with those of annotators, as the WMT25 evaluation task does.

Characters count: a marked character that the annotator marked with the same severity is matched,
with another severity half. Counts are added over all translations and annotators (micro-average).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from albeit.arrays import FloatArray
from albeit.data.judgments import Ratings
from albeit.data.marked import Annotation, Span
from albeit.errors import InputError
from albeit.evaluation import Evaluation
from albeit.metrics import Metric
from albeit.metrics.view import View

Item = tuple[str, int]
"""A system, and a segment from 0."""
Marks = Mapping[Item, Sequence[Span]]
"""The marked errors of translations; one that isn't there has none."""
_SEVERITIES = ("minor", "major")
_PARTIAL = 0.5
"""The credit of a character that is marked with another severity."""


@dataclass(frozen=True)
class SpanScore:
    """The agreement of marked errors with those of annotators.

    :param name: whose marks they are
    :param matched: the credit of matched characters
    :param marked: characters that are marked
    :param expected: characters that the annotators marked
    :param pairs: how many pairs of a translation and an annotator were compared
    """

    name: str
    matched: float
    marked: float
    expected: float
    pairs: int

    @property
    def precision(self) -> float:
        """The share of marked characters that annotators marked; 1 if none is marked."""
        return self.matched / self.marked if self.marked else 1.0

    @property
    def recall(self) -> float:
        """The share of the annotators' characters that are marked; 1 if they marked none."""
        return self.matched / self.expected if self.expected else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


@dataclass(frozen=True)
class MarkedErrors:
    """What annotators marked: their spans by annotator, for each translation that they saw."""

    by_rater: Mapping[str, Marks]

    @classmethod
    def of(cls, found: Iterable[Annotation], ratings: Ratings | None = None) -> MarkedErrors:
        """Collect annotations; ``ratings`` show who saw a translation without marking anything."""
        spans: dict[str, dict[Item, list[Span]]] = {}
        for one in found:
            own = spans.setdefault(one.rater, {})
            own.setdefault((one.system, one.segment), []).extend(one.spans)
        if ratings is not None and ratings.rater is not None:
            rows = zip(ratings.rater, ratings.system, ratings.segment, strict=True)
            for rater, system, segment in rows:
                own = spans.setdefault(ratings.raters[rater], {})
                own.setdefault((ratings.systems[system], int(segment)), [])
        if not spans:
            raise InputError("there are no marked errors to compare with.")
        return cls(spans)

    def within(self, systems: Iterable[str]) -> MarkedErrors:
        """Return the marks of these systems."""
        kept = set(systems)
        chosen = {
            rater: {item: spans for item, spans in marks.items() if item[0] in kept}
            for rater, marks in self.by_rater.items()
        }
        return MarkedErrors({rater: marks for rater, marks in chosen.items() if marks})

    def compare(self, name: str, marks: Marks, without: str | None = None) -> SpanScore:
        """Compare marks with those of all annotators, or all but one."""
        counts, pairs = np.zeros(3), 0
        for rater, own in self.by_rater.items():
            for item in own if rater != without else ():
                if without is None or item in marks:
                    counts += match(own[item], marks.get(item, ()))
                    pairs += 1
        matched, marked, expected = counts.tolist()
        return SpanScore(name, matched, marked, expected, pairs)

    def compare_raters(self) -> list[SpanScore]:
        """Compare each annotator with the others, on translations that both saw."""
        found = (self.compare(rater, own, rater) for rater, own in self.by_rater.items())
        return [score for score in found if score.pairs]


def match(expected: Sequence[Span], marked: Sequence[Span]) -> FloatArray:
    """Return the credit, and the numbers of marked and of expected characters."""
    size = max((span.end for span in (*expected, *marked)), default=0)
    theirs, ours = _cover(expected, size), _cover(marked, size)
    same = np.minimum(theirs, ours)
    rest = np.minimum((theirs - same).sum(axis=0), (ours - same).sum(axis=0))
    return np.array([same.sum() + _PARTIAL * rest.sum(), ours.sum(), theirs.sum()])


def _cover(spans: Sequence[Span], size: int) -> FloatArray:
    """Return how often each character is marked, by severity."""
    counts = np.zeros((len(_SEVERITIES), size))
    for start, end, severity in spans:
        counts[_SEVERITIES.index(severity), start:end] += 1
    return counts


def metric_marks(evaluation: Evaluation, metric: Metric, items: Iterable[Item]) -> Marks:
    """Return the words that a metric's explanations mark, as spans; neighbors are one span."""
    segments = sorted({segment + 1 for _, segment in items})
    views = evaluation.explain(metric, segments=segments)
    return {(view.system, int(view.place) - 1): _spans(view) for view in views}


def _spans(view: View) -> list[Span]:
    kinds: dict[int, str] = {}
    for loss in view.losses:
        kind = str(loss.severity or loss.details.get("severity", ""))
        for token in (t for place in loss.places if place.text == 0 for t in place.tokens):
            kinds[token] = "major" if kind in ("major", "critical") else "minor"
    spans: list[Span] = []
    offsets = view.texts[0].tokens.offsets
    for token in sorted(kinds):
        start, end = offsets[token]
        if spans and token - 1 in kinds and kinds[token - 1] == kinds[token]:
            spans[-1] = spans[-1]._replace(end=end)
        else:
            spans.append(Span(start, end, kinds[token]))
    return spans
