"""The two shapes of human judgments: preferences between systems, and ratings of them.

Both are long tables of small arrays, one row a judgment, that remember the file and line
each row came from, so that a judgment that fits no translation can be named.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from albeit.arrays import FloatArray, IntArray
from albeit.data.evalset import Document
from albeit.errors import InputError
from albeit.stats.sums import group_means

__all__ = ["Pairs", "Ratings", "is_human_reference"]


_REFERENCE = re.compile(r"(_?ref([-_. ]?[a-z0-9])?|human([-_.].*)?)\Z", re.IGNORECASE)


def is_human_reference(system: str) -> bool:
    """Whether a judged "system" is a human translation, by the names campaigns use."""
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
        """The number of judgments, ties included."""
        return len(self.segment)

    def __repr__(self) -> str:
        return f"<Pairs: {len(self)} judgments of {len(self.systems)} systems>"

    def take(self, rows: npt.NDArray[np.bool_] | IntArray) -> Pairs:
        """The judgments at these rows."""
        return replace(
            self,
            segment=self.segment[rows],
            left=self.left[rows],
            right=self.right[rows],
            preference=self.preference[rows],
            line=None if self.line is None else self.line[rows],
        )

    def decided(self) -> Pairs:
        """Without human ties."""
        return self.take(self.preference != 0)

    def align(self, systems: Sequence[str], segments: int, ignore: Collection[str] = ()) -> Pairs:
        """The same judgments over the systems and segments of a test set.

        Judgments of human references that are not among the systems, and of those to
        ``ignore``, are left out (compare lengths to count them); any other unknown system,
        or a segment beyond the end, is an error that names its line.
        """
        keep = _known(self.systems, systems, ignore)
        rows = keep[self.left] >= 0
        rows &= keep[self.right] >= 0
        _check_segments(self.segment, segments, self.path, self.line)
        kept = self.take(rows)
        return replace(kept, systems=tuple(systems), left=keep[kept.left], right=keep[kept.right])

    def judged_systems(self) -> tuple[str, ...]:
        """The systems that occur in a judgment, in table order."""
        seen = np.zeros(len(self.systems), dtype=bool)
        seen[self.left] = True
        seen[self.right] = True
        return tuple(name for name, yes in zip(self.systems, seen, strict=True) if yes)

    def judged(self, segments: int) -> npt.NDArray[np.bool_]:
        """Whether somebody judged each system on each segment: (systems, segments)."""
        seen = np.zeros((len(self.systems), segments), dtype=bool)
        seen[self.left, self.segment] = True
        seen[self.right, self.segment] = True
        return seen

    def wins_and_losses(self) -> tuple[IntArray, IntArray]:
        """How often each system was judged better and worse; ties count for neither."""
        decided = self.decided()
        won = np.where(decided.preference > 0, decided.left, decided.right)
        lost = np.where(decided.preference > 0, decided.right, decided.left)
        size = len(self.systems)
        return np.bincount(won, minlength=size), np.bincount(lost, minlength=size)

    def system_scores(self) -> FloatArray:
        """Wins / (wins + losses), as WMT12 ranked systems; NaN for a system never compared."""
        wins, losses = self.wins_and_losses()
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(wins / (wins + losses))

    def ratings(self, segments: int) -> Ratings:
        """Each system's share of wins on each segment where it was preferred or not."""
        decided = self.decided()
        size = len(self.systems)
        wins = np.zeros((size, segments))
        losses = np.zeros((size, segments))
        better = np.where(decided.preference > 0, decided.left, decided.right)
        worse = np.where(decided.preference > 0, decided.right, decided.left)
        np.add.at(wins, (better, decided.segment), 1.0)
        np.add.at(losses, (worse, decided.segment), 1.0)
        system, segment = np.nonzero(wins + losses)
        total = wins[system, segment] + losses[system, segment]
        share = wins[system, segment] / total
        return Ratings(self.systems, system, segment, share, "wins", self.path)


@dataclass(frozen=True, eq=False, repr=False)
class Ratings:
    """Ratings: ``score`` of ``system`` (a row of ``systems``) on ``segment`` (0-based).

    Higher is better. Several ratings of one translation are averaged by :meth:`matrix`. Where
    the file says who rated, ``rater`` is a row of ``raters``
    (:mod:`albeit.data.judgments.raters`).
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
        """The number of ratings."""
        return len(self.score)

    def __repr__(self) -> str:
        return f"<Ratings: {len(self)} of {len(self.systems)} systems>"

    def align(self, systems: Sequence[str], segments: int, ignore: Collection[str] = ()) -> Ratings:
        """The same ratings over the systems and segments of a test set; see ``Pairs.align``."""
        keep = _known(self.systems, systems, ignore)
        _check_segments(self.segment, segments, self.path, self.line)
        kept = self.take(keep[self.system] >= 0)
        return replace(kept, systems=tuple(systems), system=keep[kept.system])

    def take(self, rows: npt.NDArray[np.bool_] | IntArray) -> Ratings:
        """The ratings at these rows."""
        return replace(
            self,
            system=self.system[rows],
            segment=self.segment[rows],
            score=self.score[rows],
            line=None if self.line is None else self.line[rows],
            rater=None if self.rater is None else self.rater[rows],
        )

    def judged_systems(self) -> tuple[str, ...]:
        """The systems that have a rating, in table order."""
        seen = np.bincount(self.system, minlength=len(self.systems)) > 0
        return tuple(name for name, yes in zip(self.systems, seen, strict=True) if yes)

    def judged(self, segments: int) -> npt.NDArray[np.bool_]:
        """Whether somebody rated each system on each segment: (systems, segments)."""
        seen = np.zeros((len(self.systems), segments), dtype=bool)
        seen[self.system, self.segment] = True
        return seen

    def matrix(self, segments: int) -> FloatArray:
        """Mean rating of every system on every segment; NaN where there is none."""
        _check_segments(self.segment, segments, self.path, self.line)
        cell = self.system * segments + self.segment
        means = group_means(self.score, cell, len(self.systems) * segments)
        return means.reshape(len(self.systems), segments)

    def system_scores(self) -> FloatArray:
        """Mean rating of each system over its rated segments; NaN where there is none."""
        return group_means(self.score, self.system, len(self.systems))

    def document_scores(
        self, documents: Sequence[Document], lengths: Sequence[int] | None = None
    ) -> FloatArray:
        """Ratings of a document's segments, averaged with the segments' lengths as weights.

        ``lengths`` (tokens of each segment's reference, as a rule) default to equal ones.
        Documents without a rating are NaN: shape (systems, documents). Means are exact, so
        that documents with equal ratings tie.
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
        """Every two systems rated on the same segment; ties where they differ by < ``margin``."""
        if not len(self):
            raise InputError("there are no ratings to compare.", path=self.path)
        matrix = self.matrix(int(self.segment.max()) + 1)
        first, second = np.triu_indices(len(self.systems), k=1)
        difference = matrix[first] - matrix[second]
        pair, segment = np.nonzero(~np.isnan(difference))
        gap = difference[pair, segment]
        preference = np.where(np.abs(gap) < margin, 0, np.sign(gap)).astype(np.int64)
        return Pairs(self.systems, segment, first[pair], second[pair], preference, self.path)


def _known(judged: Sequence[str], systems: Sequence[str], ignore: Collection[str] = ()) -> IntArray:
    """Where each judged system stands among ``systems``; −1 for one that is left out."""
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
    beyond = np.flatnonzero((segment >= segments) | (segment < 0))
    if len(beyond):
        row = int(beyond[0])
        raise InputError(
            f"a judgment of segment {int(segment[row]) + 1}, but the set has {segments} segments.",
            path=path,
            line=None if line is None else int(line[row]),
            hint="Give the test set that was judged.",
        )
