"""Which segments should people judge? Those that separate systems, and a random rest for the means.

A segment is useful where metrics, on it alone, order the systems as they do over the whole set
(consistency), and where its translations differ much in score (spread). Both are ranks among all
segments, so no metric's scale matters. Four fifths of the budget go to the most useful segments;
one fifth is drawn at random from the others and stands for all of them: its weights make weighted
means of people's scores unbiased for the whole set, whatever the metrics are worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from albeit.arrays import FloatArray
from albeit.corpus.evalset import EvalSet
from albeit.errors import AlbeitError
from albeit.judged.task import oriented
from albeit.metrics.table import ScoreTable
from albeit.stats import DEFAULT_SEED

__all__ = ["Chosen", "Selection", "select", "utility"]

RANDOM_SHARE = 0.2
"""The part of the budget that is drawn at random."""
SPREAD_WEIGHT = 0.5
"""What the rank of a segment's spread counts beside each metric's rank of consistency."""
ALIKE = 0.8
"""Two texts that share this part of their words are near-duplicates."""
LEAST = 5


@dataclass(frozen=True)
class Chosen:
    """A segment that people should judge; ``segment`` counts from 0.

    ``weight`` is how many segments it stands for, ``drawn`` whether chance chose it.
    """

    segment: int
    document: str
    weight: float
    drawn: bool
    utility: float


@dataclass(frozen=True)
class Selection:
    """The chosen segments in the order of the set, and how many there are to choose from."""

    chosen: tuple[Chosen, ...]
    segments: int

    @property
    def weights(self) -> FloatArray:
        """The weight of every chosen segment, in order."""
        return np.array([each.weight for each in self.chosen])

    def mean(self, scores: FloatArray) -> FloatArray:
        """The weighted mean of people's scores: (…, chosen) to (…)."""
        return np.asarray((scores * self.weights).sum(axis=-1) / self.weights.sum())


def utility(scores: Sequence[FloatArray]) -> FloatArray:
    """How useful each segment is, from 0 to 1, by metrics' scores: each (systems, segments).

    Scores are those of metrics where higher is better.
    """
    standard = [(each - each.mean()) / (each.std() or 1.0) for each in scores]
    size = standard[0].shape[1]
    spread = np.mean(standard, axis=0).std(axis=0).round(9)
    total = SPREAD_WEIGHT * rankdata(spread) / size
    for each in standard:
        total = total + rankdata(_consistency(each)) / size
    return np.asarray(total / (len(standard) + SPREAD_WEIGHT))


def _consistency(scores: FloatArray) -> FloatArray:
    """The correlation of each segment's scores with the systems' means; 0 where all are equal."""
    whole = scores.mean(axis=1)
    whole = whole - whole.mean()
    own = scores - scores.mean(axis=0)
    sizes = np.sqrt((own**2).sum(axis=0) * (whole**2).sum())
    found = np.divide(whole @ own, sizes, out=np.zeros(scores.shape[1]), where=sizes > 1e-12)
    return np.asarray(found.round(9))  # equal scores are equally consistent


def select(
    evalset: EvalSet,
    table: ScoreTable,
    budget: int,
    *,
    documents: bool = False,
    seed: int = DEFAULT_SEED,
) -> Selection:
    """Choose segments of a set, at most ``budget``, by the metrics of a table.

    With ``documents`` whole documents are chosen, as many as fit. Near-duplicates of what is
    chosen already (by the source, or else the first reference) are passed over, but may be drawn.
    """
    if len(evalset.systems) < 2:
        raise AlbeitError(
            "segments are chosen by how systems differ, and there is only one system."
        )
    if not budget >= LEAST:
        raise AlbeitError(f"at least {LEAST} segments must be chosen, not {budget}.")
    columns = [c for c in table.columns.values() if c.segment is not None]
    if not columns:
        raise AlbeitError("no metric here scores segments, by which they could be chosen.")
    useful = utility([oriented(column, "segment") for column in columns])
    ids, size = evalset.document_ids(), len(evalset)
    if documents:
        units = [list(range(d.start, d.stop)) for d in evalset.documents]
    else:
        units = [[place] for place in range(size)]
    worth = np.array([useful[unit].mean() for unit in units])
    lines = _words(evalset)
    words = [frozenset[str]().union(*(lines[place] for place in unit)) for unit in units]
    sure, drawn = _picked(units, worth, budget, words, np.random.default_rng(seed))
    left = len(units) - len(sure)
    found = [
        Chosen(place, ids[place], weight, at in drawn, float(useful[place]))
        for group, weight in ((sure, 1.0), (drawn, left / max(len(drawn), 1)))
        for at in group
        for place in units[at]
    ]
    return Selection(tuple(sorted(found, key=lambda each: each.segment)), size)


def _picked(
    units: Sequence[Sequence[int]],
    worth: FloatArray,
    budget: int,
    words: Sequence[frozenset[str]],
    rng: np.random.Generator,
) -> tuple[list[int], set[int]]:
    """The units that are chosen for their worth, and those drawn from the others."""
    if sum(map(len, units)) <= budget:
        return list(range(len(units))), set()
    sure: list[int] = []
    room = budget - max(1, round(RANDOM_SHARE * budget))
    for at in np.argsort(-worth, kind="stable").tolist():
        small = len(units[at]) <= room
        if small and not any(_alike(words[at], words[other]) for other in sure):
            sure.append(at)
            room -= len(units[at])
        if room <= 0:
            break
    rest = [at for at in range(len(units)) if at not in set(sure)]
    room = budget - sum(len(units[at]) for at in sure)
    drawn: set[int] = set()
    for at in rng.permutation(rest).tolist():
        if len(units[at]) > room:
            break
        drawn.add(at)
        room -= len(units[at])
    if not (sure and drawn):
        raise AlbeitError(
            f"{budget} segments do not hold a document that is chosen and one that is drawn."
            " Give a larger budget, or choose segments."
        )
    return sure, drawn


def _words(evalset: EvalSet) -> list[frozenset[str]]:
    """The words of each segment's source, or else of its first reference or translation."""
    first = next(iter({**evalset.references, **evalset.systems}.values()))
    return [frozenset(line.lower().split()) for line in evalset.source or first]


def _alike(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether most of the words of two units are the same."""
    small, large = sorted((len(ours), len(theirs)))
    if small < ALIKE * large:
        return False
    shared = len(ours & theirs)
    return shared >= ALIKE * (small + large - shared)
