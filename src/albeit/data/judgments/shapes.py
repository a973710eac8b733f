"""The two kinds of human judgments: preferences between systems, and ratings of them.

Both are tables of arrays, one row per judgment, with the file and line of each row for messages.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from albeit.arrays import FloatArray, IntArray
from albeit.data.evalset import Document
from albeit.errors import InputError
from albeit.stats import categories, count_by, group_means, pearson, tau_wmt14

_REFERENCE = re.compile(r"(_?ref([-_. ]?[a-z0-9])?|human([-_.].*)?)\Z", re.IGNORECASE)


def is_human_reference(system: str) -> bool:
    """Return whether a judged "system" is a human translation, by the names that campaigns use."""
    return _REFERENCE.match(system) is not None


@dataclass(frozen=True, eq=False, repr=False)
class Pairs:
    """Preferences: on ``segment`` (0-based), ``left`` against ``right`` (rows of ``systems``).

    ``preference`` is 1 where left is better, −1 where right is, 0 where a judge saw a tie.
    Repeated and contradicting judgments are separate rows. ``line`` is where each was read.
    """

    systems: tuple[str, ...]
    segment: IntArray
    left: IntArray
    right: IntArray
    preference: IntArray
    path: str | None = None
    line: IntArray | None = None

    def __len__(self) -> int:
        """Return the number of judgments, with ties."""
        return len(self.segment)

    def __repr__(self) -> str:
        return f"<Pairs: {len(self)} judgments of {len(self.systems)} systems>"

    def take(self, rows: npt.NDArray[np.bool_] | IntArray) -> Pairs:
        """Return the judgments at these rows."""
        return replace(self, **_take(self, rows, "segment left right preference line"))

    def decided(self) -> Pairs:
        """Return the judgments without ties."""
        return self.take(self.preference != 0)

    def align(self, systems: Sequence[str], segments: int, ignore: Collection[str] = ()) -> Pairs:
        """Return the judgments with the systems and segments of a test set.

        Judgments of human references that aren't systems, and of those to ``ignore``, are dropped.
        Any other unknown system, or a segment beyond the end, is an error.
        """
        keep = _match_systems(self.systems, systems, ignore)
        rows = keep[self.left] >= 0
        rows &= keep[self.right] >= 0
        _check_segments(self.segment, segments, self.path, self.line)
        kept = self.take(rows)
        return replace(kept, systems=tuple(systems), left=keep[kept.left], right=keep[kept.right])

    def judged_systems(self) -> tuple[str, ...]:
        """Return the systems that occur in a judgment, in their order."""
        return tuple(self.systems[i] for i in np.union1d(self.left, self.right))

    def judged(self, segments: int) -> npt.NDArray[np.bool_]:
        """Return whether each system was judged on each segment: (systems, segments)."""
        seen = np.zeros((len(self.systems), segments), dtype=bool)
        seen[self.left, self.segment] = True
        seen[self.right, self.segment] = True
        return seen

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
class Ratings:
    """Ratings: ``score`` of ``system`` (a row of ``systems``) on ``segment`` (0-based).

    Higher is better. Several ratings of one translation are averaged by :meth:`matrix`. If the
    raters are known, ``rater`` is a row of ``raters``.
    """

    systems: tuple[str, ...]
    system: IntArray
    segment: IntArray
    score: FloatArray
    kind: str = "rating"
    path: str | None = None
    line: IntArray | None = None
    raters: tuple[str, ...] = ()
    rater: IntArray | None = None

    def __len__(self) -> int:
        """Return the number of ratings."""
        return len(self.score)

    def __repr__(self) -> str:
        return f"<Ratings: {len(self)} of {len(self.systems)} systems>"

    def align(self, systems: Sequence[str], segments: int, ignore: Collection[str] = ()) -> Ratings:
        """Return the ratings with the systems and segments of a test set; see ``Pairs.align``."""
        keep = _match_systems(self.systems, systems, ignore)
        _check_segments(self.segment, segments, self.path, self.line)
        kept = self.take(keep[self.system] >= 0)
        return replace(kept, systems=tuple(systems), system=keep[kept.system])

    def take(self, rows: npt.NDArray[np.bool_] | IntArray) -> Ratings:
        """Return the ratings at these rows."""
        return replace(self, **_take(self, rows, "system segment score line rater"))

    def judged_systems(self) -> tuple[str, ...]:
        """Return the systems that have a rating, in their order."""
        return tuple(self.systems[i] for i in np.unique(self.system))

    def judged(self, segments: int) -> npt.NDArray[np.bool_]:
        """Return whether each system was rated on each segment: (systems, segments)."""
        seen = np.zeros((len(self.systems), segments), dtype=bool)
        seen[self.system, self.segment] = True
        return seen

    def matrix(self, segments: int) -> FloatArray:
        """Return the mean rating of every system on every segment; NaN without a rating."""
        _check_segments(self.segment, segments, self.path, self.line)
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
            raise InputError("says nothing of who rated.", path=self.path, hint=hint)
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
            own = self.take(self.rater == number).matrix(segments)
            others = self.take(self.rater != number).matrix(segments)
            both = ~np.isnan(own) & ~np.isnan(others)
            scores.append(np.stack([own[both], others[both]]))
            counts.append(_count_pairs(np.where(both, own, np.nan), others, margin))
        own, others = np.concatenate(scores, axis=1)
        if not len(own):
            return None
        total = np.sum(counts, axis=0)
        return (
            f"{len(self.raters)} raters; one against the mean of the others:"
            f" τ {tau_wmt14(total):.3f} over {int(total[:3].sum()):,} pairs,"
            f" r {pearson(own, others):.3f}."
        )


def _take(judgments: Pairs | Ratings, rows: Any, names: str) -> dict[str, Any]:
    columns = {name: getattr(judgments, name) for name in names.split()}
    return {name: None if column is None else column[rows] for name, column in columns.items()}


def _count_pairs(own: FloatArray, others: FloatArray, margin: float) -> FloatArray:
    """Count concordant and other pairs of systems over all segments."""
    first, second = np.triu_indices(len(own), k=1)
    own_gap, gap = own[first] - own[second], others[first] - others[second]
    known = ~np.isnan(own_gap) & ~np.isnan(gap)
    preference = np.where(np.abs(gap[known]) < margin, 0, np.sign(gap[known]))
    outcomes = categories(own_gap[known], preference.astype(np.int64))
    return np.asarray(count_by(outcomes, np.zeros(len(outcomes), dtype=np.int64), 1)[0])


def _match_systems(
    judged: Sequence[str], systems: Sequence[str], ignore: Collection[str] = ()
) -> IntArray:
    """Return the index of each judged system among ``systems``; −1 for one to ignore."""
    index = {name: i for i, name in enumerate(systems) if name not in ignore}
    unknown = [
        n for n in judged if n not in index and n not in ignore and not is_human_reference(n)
    ]
    if unknown:
        raise InputError(
            f"there are judgments of {', '.join(map(repr, unknown))}, but the systems are "
            f"{', '.join(systems)}.",
            hint="Add the missing systems, or name the files as the judgments do.",
        )
    return np.array([index.get(name, -1) for name in judged], dtype=np.int64)


def _check_segments(
    segment: IntArray, segments: int, path: str | None, line: IntArray | None
) -> None:
    outside = np.flatnonzero((segment >= segments) | (segment < 0))
    if len(outside):
        row = int(outside[0])
        raise InputError(
            f"a judgment of segment {int(segment[row]) + 1}, but the set has {segments} segments.",
            path=path,
            line=None if line is None else int(line[row]),
            hint="Give the test set that was judged.",
        )
