"""Check references: systems that are too close to them, and lines that look wrong.

A reference that was made from a system's output, or that a system was trained on, favors that
system in every metric that reads the reference. Two tests compare a system with the median of the
other systems. Their null hypotheses include a difference that quality can explain:

- *Identical lines*: the system has at most :data:`TIMES` times as many lines that equal the
  reference. This is a binomial test, with counts divided by their dispersion between documents.
- *chrF*: in at least half of the documents, the system's chrF is at most :data:`POINTS` higher.
  This is a sign test over documents. It must also hold for chrF with the reference minus chrF
  with other systems, because good systems are close to both.

Holm's correction is for all systems. If both null hypotheses hold for all systems, each test names
a system with a probability of at most :data:`LEVEL`.

A line of a reference is *unrelated* to the translations if their chrF isn't higher than that of
translations and references of other lines (95th percentile). Most lines are compared with one
translation only, so the cost is small, and linear in the number of systems.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from albeit.arrays import FloatArray, IntArray
from albeit.data.plausible import count_words, looks_like
from albeit.data.textio import warn
from albeit.evaluation import Evaluation, open_store
from albeit.metrics import EvalSet
from albeit.metrics.table import ScoreTable
from albeit.stats import Bools, holm

Kind = Literal["empty", "truncated", "source", "language", "misplaced", "unrelated"]
LEVEL = 0.01
"""The error rate of each of the two tests of systems."""
TIMES, POINTS = 2.0, 5.0
"""How many times the identical lines, and how much more chrF, quality can explain."""
WORDS = 4
"""Lines with so many words or fewer are ignored: many systems translate them alike."""
FEWEST_LINES, FEWEST_UNITS, BLOCK = 40, 20, 10
"""Smaller sets aren't tested; with fewer documents, the units of the tests are blocks of lines."""
MOST_PAIRS, MOST_LINES, SAMPLE = 6_000, 10_000, 300
"""Above these sizes, lines are sampled at equal distances."""
MARGIN, CLEARLY = 5.0, 15.0
"""Differences in chrF: of lines to look at more closely, and of lines that clearly fit better."""
SHORT, FEWEST_CHARACTERS = 0.55, 40
"""A truncated line is shorter than this share of the median translation, if that is so long."""
SHARE, SHARE_UNRELATED = 0.01, 0.02
"""Less than these shares of identical and of unrelated lines are too little for a warning."""
_KINDS: dict[Kind, str] = {
    "empty": "empty",
    "truncated": "truncated",
    "source": "equal to the source",
    "language": "in another language",
    "misplaced": "for another line",
    "unrelated": "unlike the translations, which agree with each other",
}


@dataclass(frozen=True)
class CloseSystem:
    """A system that is closer to a reference than the other systems are.

    ``identical`` of ``lines`` equal the reference, and ``chrf`` is the median over lines;
    ``other_identical`` and ``other_chrf`` are the medians of the other systems. ``p`` is the
    smaller corrected p-value of the two tests.
    """

    system: str
    identical: int
    other_identical: float
    lines: int
    chrf: float
    other_chrf: float
    p: float


@dataclass(frozen=True)
class ReferenceCheck:
    """What was found in a reference: systems, and numbers of lines (from 1) by kind."""

    reference: str
    systems: Sequence[CloseSystem]
    lines: Mapping[Kind, Sequence[int]]

    def messages(self) -> Iterator[str]:
        """Yield a warning about systems, and one about lines."""
        if self.systems:
            first = self.systems[0]
            shown = ", ".join(
                f"{each.system!r} ({each.identical} identical lines, median chrF {each.chrf:.1f})"
                for each in self.systems
            )
            yield (
                f"scores with reference {self.reference!r} may be too high for systems closer to it"
                f" than the others are: {shown}. In the median of the other systems,"
                f" {first.other_identical:g} of {first.lines} lines are identical, and chrF is"
                f" {first.other_chrf:.1f} (corrected p < {LEVEL:g}). The reference may be a"
                " post-edited translation, or training data. Use another reference or a metric"
                " without one, or exclude these systems."
            )
        others = [(kind, own) for kind, own in self.lines.items() if kind != "empty"]
        if others:  # another warning counts empty lines
            parts = (f"{len(own)} {_KINDS[kind]} ({_list(own)})" for kind, own in others)
            yield (
                f"scores on some lines may mean little, because reference {self.reference!r} may be"
                f" wrong there: {', '.join(parts)}. Read them; correct or exclude wrong ones, or"
                " use another reference or a metric without one."
            )


def _list(lines: Sequence[int]) -> str:
    more = ", …" if len(lines) > 5 else ""
    return f"line{'s' * (len(lines) > 1)} {', '.join(map(str, lines[:5]))}{more}"


def warn_of_references(evalset: EvalSet, table: ScoreTable | None = None) -> list[dict[str, Any]]:
    """Warn about what :func:`check_references` finds, and return it for JSON."""
    checks = check_references(evalset, table)
    for message in [message for check in checks for message in check.messages()]:
        warn(message)
    return [asdict(check) for check in checks]


def check_references(evalset: EvalSet, table: ScoreTable | None = None) -> list[ReferenceCheck]:
    """Find systems that are too close to a reference, and lines of references that look wrong.

    References without findings aren't listed. Statistics are cached.

    :param evalset: the test set
    :param table: scores of the set; if they have chrF, it isn't computed again

    >>> import albeit
    >>> from albeit.diagnose.references import check_references
    >>> check_references(albeit.read("examples/demo"))
    []
    """
    checks = []
    for name in evalset.references if evalset.systems else ():
        reference = _Reference(evalset, name, table)
        found = ReferenceCheck(name, reference.close_systems(), reference.suspect_lines())
        checks += [found] if found.systems or found.lines else []
    return checks


class _Reference:
    """One reference of a set, after the systems: the last of all texts."""

    def __init__(self, evalset: EvalSet, name: str, table: ScoreTable | None) -> None:
        self.evalset = evalset
        texts = [*evalset.systems.values(), evalset.references[name]]
        self.texts = [[line.strip() for line in text] for text in texts]
        self.lines, self.names = self.texts[-1], list(evalset.systems)
        self.lengths = np.array([[len(line) for line in text] for text in self.texts])
        self.long = np.array([count_words(line) > WORDS for line in self.lines])
        self._every = np.arange(len(self.names))[:, None]
        column = table.columns.get("chrf") if table and len(table) == len(evalset) else None
        known = column is not None and column.metric and len(evalset.references) == 1
        self._known = column.segment if column and known else None

    def close_systems(self) -> list[CloseSystem]:
        """Find the systems that are closer to the reference than the others are."""
        distinct = {line: n for n, line in enumerate(self.lines) if self.long[n]}
        rows = np.array(sorted(distinct.values()), dtype=np.int64)
        if len(self.names) < 3 or len(rows) < FEWEST_LINES:
            return []
        # without spaces and capitals, which outputs of some systems lack
        *texts, lines = [["".join(text[n].lower().split()) for n in rows] for text in self.texts]
        equal = np.array([[a == b for a, b in zip(text, lines, strict=True)] for text in texts])
        counts, units = equal.sum(axis=1), self._units()
        many = holm([_too_many(n, equal, units[rows]) for n in range(len(counts))])
        most = MOST_PAIRS // (len(self.names) * len(self.evalset.references))
        chosen = _spread(np.flatnonzero(self.long), most)
        scores = self._with_reference(self._every, chosen)
        p_values = np.minimum(many, self._too_high(scores, chosen, units[chosen]))
        medians = np.array([np.median([0.0, *own[~np.isnan(own)]]) for own in scores])
        found = []
        for n in np.flatnonzero(p_values < LEVEL).tolist():
            others = [float(np.median(np.delete(each, n))) for each in (counts, medians)]
            evidence = int(counts[n]), others[0], len(rows), float(medians[n]), others[1]
            found.append(CloseSystem(self.names[n], *evidence, float(p_values[n])))
        return found

    def _units(self) -> IntArray:
        """Return the number of each line's document, or of its block with few documents."""
        sizes = [len(document) for document in self.evalset.documents]
        sizes = sizes if len(sizes) >= FEWEST_UNITS else [BLOCK] * (len(self.lines) // BLOCK + 1)
        return np.repeat(np.arange(len(sizes)), sizes)[: len(self.lines)]

    def _too_high(self, scores: FloatArray, rows: IntArray, units: IntArray) -> FloatArray:
        """Return the corrected p-value of each system's chrF."""
        excess = _excess(scores, units)
        p_values = _more_than_half(excess > POINTS)
        if p_values.min() >= LEVEL:
            return p_values
        excess = np.minimum(excess, _excess(scores - self._with_others(rows), units))
        return _more_than_half(excess > POINTS)

    def suspect_lines(self) -> dict[Kind, list[int]]:
        """Find the lines that look wrong."""
        found = self._unrelated() | self._incomplete()
        lines = {kind: [n + 1 for n in sorted(found) if found[n] == kind] for kind in _KINDS}
        return {kind: numbers for kind, numbers in lines.items() if numbers}

    def _incomplete(self) -> dict[int, Kind]:
        """Find empty lines, and truncated ones: short, and without the end of a sentence."""
        own, typical = self.lengths[-1], np.median(self.lengths[:-1], axis=0)
        kinds: dict[int, Kind] = {}
        looked = (own == 0) | (typical > FEWEST_CHARACTERS)
        for n in np.flatnonzero(looked & (own < SHORT * typical)).tolist():
            *ends, ending = [_ends(text[n]) for text in self.texts]
            if not own[n]:
                kinds[n] = "empty"
            elif not ending and 1 < len(ends) < 1.25 * sum(ends):
                kinds[n] = "truncated"
        return kinds

    def _unrelated(self) -> dict[int, Kind]:
        """Find lines that have hardly anything in common with the translations, and why."""
        rows, size = _spread(np.flatnonzero(self.long), MOST_LINES), len(self.names)
        if size < 2 or len(rows) < FEWEST_LINES:
            return {}
        sample = _spread(np.arange(len(rows)), SAMPLE)
        others = rows[(sample + len(rows) // 2) % len(rows)]
        turns = self._turn(rows)
        limit = np.nanquantile([0.0, *self._chrf(turns[sample], rows[sample], size, others)], 0.95)
        low = _spread(rows[self._with_reference(turns, rows) < limit + MARGIN], SAMPLE)
        scores = _mean(self._with_reference(self._every, low))
        low, scores = low[scores < limit], scores[scores < limit]
        kinds = self._explain(low, np.maximum(scores, limit) + CLEARLY)
        agree = low[_mean(self._with_others(low)) > limit + CLEARLY]
        rest = [n for n in agree.tolist() if n not in kinds]
        if len(rest) >= SHARE_UNRELATED * len(rows):
            kinds |= dict.fromkeys(rest, "unrelated")
        return kinds

    def _turn(self, rows: IntArray) -> IntArray:
        """Return a system that translated each line: another one in turns."""
        order = (self._every + rows) % len(self.names) + 1
        return np.asarray(np.argmax(order * (self.lengths[:-1, rows] > 0), axis=0))

    def _explain(self, rows: IntArray, better: FloatArray) -> dict[int, Kind]:
        """Find lines that are no translation, or fit another line with a chrF above ``better``."""
        size = len(self.lines)
        near = [np.maximum(rows - 1, 0), np.minimum(rows + 1, size - 1)]
        for order in (range(size), reversed(range(size))):  # duplicates: the last, the first
            places = {self.lines[n]: n for n in order}
            near.append(np.array([places[self.lines[n]] for n in rows], dtype=np.int64))
        turns = np.array([self._turn(each) for each in near])
        fits = self._chrf(turns, np.array(near), len(self.names), rows) > better
        kinds: dict[int, Kind] = dict.fromkeys(rows[fits.any(axis=0)].tolist(), "misplaced")
        for n in rows.tolist():
            if self.evalset.source and self.evalset.source[n].strip() == self.lines[n]:
                kinds[n] = "source"
            elif looks_like([self.lines[n]], self.evalset.target_lang):
                kinds[n] = "language"
        return kinds

    def _with_reference(self, systems: IntArray, rows: IntArray) -> FloatArray:
        """Return chrF of the systems' lines with the reference."""
        if self._known is None:
            return self._chrf(systems, rows, len(self.names), rows)
        both = self.lengths[systems, rows] * self.lengths[-1, rows] > 0
        return np.where(both, self._known[systems, rows], np.nan)

    def _with_others(self, rows: IntArray) -> FloatArray:
        """Return chrF of each system's lines with another one's, in turns: (systems, rows)."""
        others = (self._every + 1 + rows % (len(self.names) - 1)) % len(self.names)
        return self._chrf(self._every, rows, others, rows)

    def _chrf(
        self, ones: IntArray, rows: IntArray, others: IntArray | int, places: IntArray
    ) -> FloatArray:
        """Return chrF of lines of texts with lines of other texts; undefined if one is blank."""
        indices = np.broadcast_arrays(ones, rows, others, places)
        one, row, other, place = (each.ravel() for each in indices)
        scores = np.full(one.shape, np.nan)
        kept = np.flatnonzero((self.lengths[one, row] > 0) & (self.lengths[other, place] > 0))
        if len(kept):
            own, theirs = (
                tuple(self.texts[t][n] for t, n in zip(texts[kept], lines[kept], strict=True))
                for texts, lines in ((one, row), (other, place))
            )
            pairs = EvalSet({"other": theirs}, {"own": own})
            table = Evaluation(pairs, store=open_store()).score(["chrf"])
            scores[kept] = table["chrf"].at("segment")[0]
        return scores.reshape(indices[0].shape)


def _spread(rows: IntArray, most: int) -> IntArray:
    """Return at most so many rows, at equal distances."""
    return rows[:: -(-len(rows) // max(1, most)) or 1]


def _mean(scores: FloatArray) -> FloatArray:
    """Return the mean over systems of defined scores; undefined without any."""
    return np.asarray(np.ma.masked_invalid(scores).mean(axis=0).filled(np.nan))


def _ends(line: str) -> bool:
    """Return whether a line ends in punctuation that isn't a comma."""
    return bool(line) and line[-1] not in ",，、" and unicodedata.category(line[-1]).startswith("P")


def _too_many(system: int, equal: Bools, units: IntArray) -> float:
    """Return the p-value of a system's identical lines; ``equal`` has systems and lines.

    Given the sum of its count and that of the others, its count is binomial if lines are
    independent. The median of n counts varies like the mean of 2n/π. Counts are divided by the
    mean dispersion of all systems between documents, as in a quasi-Poisson model.
    """
    others = np.delete(equal, system, axis=0)
    own, typical = int(equal[system].sum()), float(np.median(others.sum(axis=1)))
    if own <= TIMES * typical or own - typical < SHARE * len(units):
        return 1.0
    dispersion = max(1.0, float(np.mean([_disperse(each, units) for each in equal])))
    weight = max(1.0, 2 * len(others) / math.pi)
    successes, failures = int(own / dispersion), math.ceil(typical * weight / dispersion)
    return _binomial_tail(successes, successes + failures, TIMES / (TIMES + weight))


def _disperse(equal: Bools, units: IntArray) -> float:
    """Return the variance of counts between units, divided by that of independent lines."""
    expected = np.bincount(units) * equal.mean()
    squares = (np.bincount(units, equal) - expected)[expected > 0] ** 2 / expected[expected > 0]
    return float(squares.sum() / max(1, len(squares) - 1))


def _excess(scores: FloatArray, units: IntArray) -> FloatArray:
    """Return by how much each system's mean is above the others' median: (systems, units).

    Units in which a system has no scores are ignored.
    """
    with np.errstate(invalid="ignore"):
        every = [np.bincount(units, ~np.isnan(own)) for own in scores]
        means = np.array([np.bincount(units, np.nan_to_num(own)) for own in scores]) / every
    means = means[:, ~np.isnan(means).any(axis=0)]
    others = [np.median(np.delete(means, n, 0), axis=0) for n in range(len(means))]
    return np.asarray(means - others)


def _more_than_half(above: Bools) -> FloatArray:
    """Return the corrected p-value of a sign test for each row."""
    return holm([_binomial_tail(int(row.sum()), len(row), 0.5) for row in above])


def _binomial_tail(successes: int, trials: int, probability: float) -> float:
    """Return the probability of so many successes or more."""
    odds, least = math.log(probability / (1 - probability)), trials * math.log1p(-probability)
    ways = [math.lgamma(k + 1) for k in range(trials + 1)]
    logarithms = (
        ways[-1] - ways[k] - ways[trials - k] + k * odds + least
        for k in range(successes, trials + 1)
    )
    return min(1.0, math.fsum(map(math.exp, logarithms)))
