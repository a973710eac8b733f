"""Human judgments: preferences between two systems on a segment, and ratings of one system.

Both are tables of arrays, one row per judgment, with the file and line of each row for messages.
Five-way rankings become all their pairs. Each kind can be converted to the other.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from albeit.arrays import BoolArray, FloatArray, IntArray
from albeit.data.evalset import Document
from albeit.errors import InputError
from albeit.stats import categories, count_by, group_means, pearson, tau_wmt14

_REFERENCE = re.compile(r"(_?ref([-_. ]?[a-z0-9])?|human([-_.].*)?)\Z", re.IGNORECASE)


def is_human_reference(system: str) -> bool:
    """Return whether a judged "system" is a human translation, by the names that campaigns use."""
    return _REFERENCE.match(system) is not None


class _Judgments:
    """What both kinds have in common: rows with a segment and one or two systems."""

    systems: tuple[str, ...]
    segment: IntArray
    path: str | None
    line: IntArray | None
    _sides: ClassVar[tuple[str, ...]]
    """The columns that have systems."""

    def __len__(self) -> int:
        """Return the number of judgments."""
        return len(self.segment)

    def __repr__(self) -> str:
        noun = "judgments of" if len(self._sides) > 1 else "of"
        return f"<{type(self).__name__}: {len(self)} {noun} {len(self.systems)} systems>"

    def _indices(self) -> IntArray:
        """Return the indices of the systems: one row per side."""
        return np.stack([getattr(self, side) for side in self._sides])

    def take(self, rows: BoolArray | IntArray) -> Self:
        """Return the judgments at these rows."""
        columns = {name: v[rows] for name, v in vars(self).items() if isinstance(v, np.ndarray)}
        return type(self)(**{**vars(self), **columns})

    def align(self, systems: Sequence[str], segments: int, ignore: Collection[str] = ()) -> Self:
        """Return the judgments with the systems and segments of a test set.

        Judgments of human references that aren't systems, and of those to ``ignore``, are dropped.
        Any other unknown system, or a segment beyond the end, is an error.
        """
        index = {name: i for i, name in enumerate(systems) if name not in ignore}
        dropped = [name in ignore or is_human_reference(name) for name in self.systems]
        new = np.array([index.get(name, -1) for name in self.systems], dtype=np.int64)
        is_unknown = (new < 0) & ~np.array(dropped, dtype=bool)
        if is_unknown.any():
            unknown = ", ".join(repr(self.systems[i]) for i in np.flatnonzero(is_unknown))
            what = f"has judgments of {unknown}, but the systems are {', '.join(systems)}."
            hint = "Add the missing systems, or name the files as the judgments do."
            raise self._error(is_unknown[self._indices()].any(axis=0), what, hint)
        self._check_segments(segments)
        kept = self.take(np.all(new[self._indices()] >= 0, axis=0))
        sides = dict(zip(self._sides, new[kept._indices()], strict=True))
        return type(self)(**{**vars(kept), "systems": tuple(systems), **sides})

    def _check_segments(self, segments: int) -> None:
        outside = (self.segment >= segments) | (self.segment < 0)
        if outside.any():
            number = int(self.segment[outside][0]) + 1
            what = f"a judgment of segment {number}, but the set has {segments} segments."
            raise self._error(outside, what, "Give the test set that was judged.")

    def _error(self, rows: BoolArray, what: str, hint: str) -> InputError:
        """Return an error at the first of these rows."""
        line = int(self.line[rows][0]) if self.line is not None and rows.any() else None
        return InputError(what, path=self.path, line=line, hint=hint)

    def judged_systems(self) -> tuple[str, ...]:
        """Return the systems that have a judgment, in their order."""
        return tuple(self.systems[i] for i in np.unique(self._indices()))

    def judged(self, segments: int) -> BoolArray:
        """Return whether each system was judged on each segment: (systems, segments)."""
        seen = np.zeros((len(self.systems), segments), dtype=bool)
        seen[self._indices(), self.segment] = True
        return seen


@dataclass(frozen=True, eq=False, repr=False)
class Pairs(_Judgments):
    """Preferences: on ``segment`` (0-based), ``left`` against ``right`` (rows of ``systems``).

    ``preference`` is 1 where left is better, −1 where right is, 0 where a judge saw a tie.
    Repeated and contradicting judgments are separate rows. ``line`` is where each was read.
    """

    _sides = ("left", "right")
    systems: tuple[str, ...]
    segment: IntArray
    left: IntArray
    right: IntArray
    preference: IntArray
    path: str | None = None
    line: IntArray | None = None

    def decided(self) -> Pairs:
        """Return the judgments without ties."""
        return self.take(self.preference != 0)

    def _better_and_worse(self) -> tuple[Pairs, IntArray, IntArray]:
        """Return the judgments without ties, with their better and worse systems."""
        decided = self.decided()
        won = np.where(decided.preference > 0, decided.left, decided.right)
        lost = np.where(decided.preference > 0, decided.right, decided.left)
        return decided, won, lost

    def system_scores(self) -> FloatArray:
        """Return wins / (wins + losses), as WMT12 ranked systems; NaN without a comparison."""
        size = len(self.systems)
        _, won, lost = self._better_and_worse()
        wins, losses = np.bincount(won, minlength=size), np.bincount(lost, minlength=size)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(wins / (wins + losses))

    def ratings(self, segments: int) -> Ratings:
        """Return each system's share of wins on each segment."""
        decided, won, lost = self._better_and_worse()
        wins, losses = np.zeros((2, len(self.systems), segments))
        np.add.at(wins, (won, decided.segment), 1.0)
        np.add.at(losses, (lost, decided.segment), 1.0)
        system, segment = np.nonzero(wins + losses)
        share = (wins / np.maximum(wins + losses, 1.0))[system, segment]
        return Ratings(self.systems, system, segment, share, "wins", self.path)


@dataclass(frozen=True, eq=False, repr=False)
class Ratings(_Judgments):
    """Ratings: ``score`` of ``system`` (a row of ``systems``) on ``segment`` (0-based).

    Higher is better. Several ratings of one translation are averaged by :meth:`matrix`. If the
    raters are known, ``rater`` is a row of ``raters``. ``errors`` is the number of errors that were
    marked, if it is known.
    """

    _sides = ("system",)
    systems: tuple[str, ...]
    system: IntArray
    segment: IntArray
    score: FloatArray
    kind: str = "rating"
    path: str | None = None
    line: IntArray | None = None
    raters: tuple[str, ...] = ()
    rater: IntArray | None = None
    errors: IntArray | None = None

    def matrix(self, segments: int) -> FloatArray:
        """Return the mean rating of every system on every segment; NaN without a rating."""
        self._check_segments(segments)
        cell = self.system * segments + self.segment
        means = group_means(self.score, cell, len(self.systems) * segments)
        return means.reshape(len(self.systems), segments)

    def system_scores(self) -> FloatArray:
        """Return the mean rating of each system over its rated segments; NaN without a rating."""
        return group_means(self.score, self.system, len(self.systems))

    def document_scores(
        self, documents: Sequence[Document], lengths: Sequence[int] | None = None
    ) -> FloatArray:
        """Return the means of document ratings, weighted with the lengths of segments.

        ``lengths`` are usually tokens of each segment's reference; by default they are equal.
        Documents without a rating are NaN: shape (systems, documents). Means are exact, so that
        documents with equal ratings tie.
        """
        size = documents[-1].stop
        matrix = self.matrix(size)
        weights = np.ones(size) if lengths is None else np.asarray(lengths, dtype=np.float64)
        if weights.shape != (size,):
            raise InputError(f"{len(weights)} segment lengths are given for {size} segments.")
        system, segment = np.nonzero(~np.isnan(matrix))
        document = np.repeat(np.arange(len(documents)), [len(d) for d in documents])
        cell = system * len(documents) + document[segment]
        size = len(self.systems) * len(documents)
        means = group_means(matrix[system, segment], cell, size, weights[segment])
        return means.reshape(len(self.systems), len(documents))

    def pairs(self, margin: float = 0.0) -> Pairs:
        """Return all pairs of systems on a segment; a difference below ``margin`` is a tie."""
        if not len(self):
            raise InputError("there are no ratings to compare.", path=self.path)
        matrix = self.matrix(int(self.segment.max()) + 1)
        first, second = np.triu_indices(len(self.systems), k=1)
        difference = matrix[first] - matrix[second]
        pair, segment = np.nonzero(~np.isnan(difference))
        gap = difference[pair, segment]
        preference = np.where(np.abs(gap) < margin, 0, np.sign(gap)).astype(np.int64)
        return Pairs(self.systems, segment, first[pair], second[pair], preference, self.path)

    def standardize_by_rater(self) -> Ratings:
        """Return z-scores per rater: the mean of each rater is 0, the deviation 1."""
        if self.rater is None:
            hint = "It needs a column 'rater'."
            raise InputError("doesn't name the raters.", path=self.path, hint=hint)
        score = np.zeros_like(self.score)
        for number in range(len(self.raters)):
            own = self.rater == number
            deviation = self.score[own].std() if own.any() else 0.0
            if deviation > 0:
                score[own] = (self.score[own] - self.score[own].mean()) / deviation
        return replace(self, score=score, kind="z")

    def describe_agreement(self, margin: float = 0.0) -> str | None:
        """Compare each rater with the mean of the others: τ (WMT14) of preferences, r of ratings.

        ``None`` if no translation has ratings of two raters. Two translations of a segment are
        compared if the others' means differ by ``margin`` at least.
        """
        if self.rater is None:
            return None
        segments = int(self.segment.max()) + 1
        counts: list[FloatArray] = []
        scores: list[FloatArray] = []
        for number in range(len(self.raters)):
            rest = self.take(self.rater != number)
            if not len(rest):
                return None
            own, others = self.take(self.rater == number).matrix(segments), rest.matrix(segments)
            both = ~np.isnan(own) & ~np.isnan(others)
            scores.append(np.stack([own[both], others[both]]))
            pairs = rest.pairs(margin)
            gap = own[pairs.left, pairs.segment] - own[pairs.right, pairs.segment]
            rated = ~np.isnan(gap)
            outcomes = categories(gap[rated], pairs.preference[rated])
            counts.append(count_by(outcomes, np.zeros(len(outcomes), dtype=np.int64), 1)[0])
        own, others = np.concatenate(scores, axis=1)
        if not len(own):
            return None
        total = np.sum(counts, axis=0)
        found = f"τ {tau_wmt14(total):.3f} over {int(total[:3].sum()):,} pairs"
        what = f"{len(self.raters)} raters; one against the mean of the others: {found},"
        return f"{what} r {pearson(own, others):.3f}."
