"""A table of scores, joined with human judgments of the same translations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from albeit.arrays import FloatArray
from albeit.data.evalset import Level
from albeit.data.judgments import Pairs, Ratings
from albeit.errors import InputError
from albeit.metrics.table import Column, ScoreTable

MARGINS = {"z": 0.75, "mqm": 1.0, "esa": 25.0, "raw": 25.0, "da": 25.0}
"""Below which difference two ratings prefer neither, by a word in the name of their column
(``mqm_avg``, ``wmt-z``): one minor error of MQM, WMT's 25 of 100 points, and for z-scores what
keeps about as many pairs."""


def usual_margin(judgments: Pairs | Ratings) -> float:
    """The difference below which ratings of this kind are usually taken as a tie."""
    if isinstance(judgments, Pairs):
        return 0.0
    words = judgments.kind.replace("_", "-").split("-")
    return next((margin for kind, margin in MARGINS.items() if kind in words), 0.0)


def oriented(column: Column, level: Level) -> FloatArray:
    """A column's scores with higher better; NaN where a translation was not scored."""
    scores = column.at(level)
    return scores if column.higher_is_better else -scores


@dataclass(frozen=True, eq=False, repr=False)
class Task:
    """One test set and language pair: scores, judgments, and segment lengths if known.

    Judgments are aligned with the table's systems and segments when the task is made, so
    that what fits no translation is refused at once. :meth:`albeit.JudgedSet.task` makes one.

    :param table: scores of the metrics
    :param judgments: preferences between translations, or ratings of them
    :param lengths: tokens of each segment's reference, which weigh segments in human scores of
        documents
    :param margin: the difference below which two ratings are a tie; without one, preferences
        without ties leave out what lies below the usual margin of such ratings
        (:data:`MARGINS`), and ties are what people tied

    >>> import albeit
    >>> import numpy as np
    >>> from albeit.data.judgments import Pairs
    >>> table = albeit.score(albeit.read("examples/demo"), ["chrf"])
    >>> segments, left, right = np.array([1, 3]), np.array([0, 0]), np.array([1, 1])
    >>> people = Pairs(("careful", "blunt"), segments, left, right, np.array([1, 1]))
    >>> len(albeit.Task(table, people).decided)
    2
    """

    table: ScoreTable
    judgments: Pairs | Ratings
    lengths: Sequence[int] | None = None
    margin: float | None = None

    def __repr__(self) -> str:
        return f"<Task {self.table!r}, {self.judgments!r}>"

    def __post_init__(self) -> None:
        aligned = self.judgments.align(self.table.systems, len(self.table))
        if not len(aligned):
            what = f"{self.name}: no judgment is about the systems of the table."
            raise InputError(what, path=self.judgments.path)
        object.__setattr__(self, "judgments", aligned)

    @property
    def name(self) -> str:
        """The test set and its languages."""
        source, target = self.table.language_pair
        return f"{self.table.name} {source}-{target}" if source else self.table.name

    @cached_property
    def pairs(self) -> Pairs:
        """Preferences, ties included; ratings become pairs of systems on a segment."""
        if isinstance(self.judgments, Pairs):
            return self.judgments
        return self.judgments.pairs(self.margin or 0.0)

    @cached_property
    def decided(self) -> Pairs:
        """Preferences without human ties; of ratings, those that differ by the margin or more."""
        if isinstance(self.judgments, Pairs):
            return self.judgments.decided()
        return self.judgments.pairs(self.decisive).decided()

    @property
    def decisive(self) -> float:
        """The difference from which on two ratings are a preference; 0 for preferences."""
        if isinstance(self.judgments, Pairs) or self.margin is None:
            return usual_margin(self.judgments)
        return self.margin

    @cached_property
    def ratings(self) -> Ratings:
        """Ratings; preferences become each system's share of wins on a segment."""
        if isinstance(self.judgments, Ratings):
            return self.judgments
        return self.judgments.ratings(len(self.table))

    def human(self, level: Level) -> FloatArray:
        """Human scores of systems, documents or segments; NaN where unjudged."""
        if level == "system":
            return self.judgments.system_scores()
        if level == "document":
            return self.ratings.document_scores(self.table.documents, self.lengths)
        return self.ratings.matrix(len(self.table))

    @cached_property
    def document_pairs(self) -> Pairs:
        """Preferences between systems on whole documents, from their human scores."""
        human = self.human("document")
        system, item = np.nonzero(~np.isnan(human))
        ratings = Ratings(self.table.systems, system, item, human[system, item])
        return ratings.pairs(self.margin or 0.0)

    @cached_property
    def document_of_segment(self) -> npt.NDArray[np.int64]:
        """The number of the document each segment belongs to."""
        sizes = [len(d) for d in self.table.documents]
        return np.repeat(np.arange(len(sizes)), sizes)
