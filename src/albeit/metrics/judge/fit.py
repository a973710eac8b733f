"""How well the pronouns and the connectives of a text fit their place: hidden, and guessed.

A word is hidden, a network reads its document around it (:mod:`albeit.metrics.judge.cloze`) and
says how likely each class is there. Pronouns of one class in one sentence mostly mean the same
one: they are hidden together, lest one tells the other. Neither reference nor source is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from albeit.arrays import FloatArray
from albeit.data.evalset import EvalSet
from albeit.data.levels import Unit
from albeit.errors import MetricError
from albeit.metrics.base import Batch, Context, MeanMetric, Metric
from albeit.metrics.connectives.load import inventory
from albeit.metrics.judge.hidden import (
    CLASSES,
    CONNECTIVES,
    FIRST_CONNECTIVE,
    PRONOUNS,
    Target,
    begins,
    connectives,
    pronouns,
)
from albeit.metrics.view import Compared, Loss, Place, View
from albeit.parsing.layers import TEXT, Tokens
from albeit.parsing.needs import Need, Side, read

if TYPE_CHECKING:
    from albeit.metrics.judge.cloze import Cloze

__all__ = [
    "DOUBTFUL",
    "ConnectivesFree",
    "Fit",
    "check_there",
    "fit_rows",
    "fit_versions",
    "fit_view",
    "fits",
    "guessed",
]

_WORD = re.compile(r"\S+")
DOUBTFUL = 2.0
"""A word is in doubt where something else fits so many times as well."""
TOGETHER = 4
"""Words, or groups of pronouns, that are hidden at once."""
SPAN = 120
"""Words within which they lie: there is text around all of them, then."""


class Fit(NamedTuple):
    """A word, how well it fits its place (from 0 to 1), and what fits best there, how well."""

    target: Target
    degree: float
    best: str
    best_degree: float

    @property
    def doubtful(self) -> bool:
        """Whether something else fits far better."""
        return self.best_degree >= DOUBTFUL * self.degree


def guessed(
    asked: Sequence[tuple[Sequence[str], Sequence[Target]]], cloze: Cloze | None = None
) -> list[FloatArray]:
    """Log probabilities of all classes for words of documents, (words asked for, classes).

    What is said of a word does not depend on which others are asked for.

    :param asked: the words of each document, and those of them that are guessed
    :param cloze: the network; by default that which ships
    """
    from albeit.metrics.judge.cloze import Hidden, load_cloze

    network = cloze or load_cloze()
    found = [np.full((len(targets), len(CLASSES)), np.nan) for _, targets in asked]
    places = [(n, k) for n, (_, targets) in enumerate(asked) for k in range(len(targets))]
    for plan in (_plan, _alone):
        plans = [plan(words) for words, _ in asked]
        number: dict[Hidden, list[tuple[int, int, int]]] = {}
        for n, k in places:
            words, targets = asked[n]
            own = (targets[k].start, targets[k].stop)
            runs = plans[n].get(own, (own,))
            number.setdefault(Hidden(tuple(words), runs), []).append((n, k, runs.index(own)))
        for owners, logs in zip(number.values(), network.read(list(number)), strict=True):
            for n, k, at in owners:
                found[n][k] = logs[at]
        places = [(n, k) for n, k in places if np.isnan(found[n][k, 0])]
    return found


Run = tuple[int, int]
Plan = dict[Run, tuple[Run, ...]]
"""For each word that can be hidden all that are hidden with it."""


def _plan(words: Sequence[str]) -> Plan:
    """Several at once, so that a text is read less often: up to ``TOGETHER`` within ``SPAN`` words,
    no neighbours where there are more."""
    single = [((t.start, t.stop),) for t in connectives(words) if t.name in CONNECTIVES]
    found: Plan = {}
    for groups in (_groups(words), single):
        at = 0
        while at < len(groups):
            first = groups[at][0][0]
            end = at + 1
            while end < len(groups) and groups[end][-1][1] - first <= SPAN:
                end += 1
            reads = -(-(end - at) // TOGETHER)
            for k in range(at, at + reads):
                runs = tuple(run for group in groups[k:end:reads] for run in group)
                found |= dict.fromkeys(runs, runs)
            at = end
    return found


def _alone(words: Sequence[str]) -> Plan:
    """Each by itself: what was too far from the others to be read with them."""
    return {}


def _groups(words: Sequence[str]) -> list[tuple[Run, ...]]:
    """Pronouns, those of one class in one sentence together, in the order of their first."""
    sentence = list(accumulate(map(int, begins(words))))
    found: list[list[Run]] = []
    last: dict[tuple[str, int], list[Run]] = {}
    for start, stop, name in pronouns(words):
        own = last.get((name, sentence[start]))
        if own is not None and start - own[0][0] <= SPAN // 2:
            own.append((start, stop))
        else:
            found.append([(start, stop)])
            last[name, sentence[start]] = found[-1]
    return [tuple(group) for group in found]


def pronoun_shares(logs: FloatArray) -> FloatArray:
    """How well *he*, *she*, *it* and *they* fit places (places, 4): their shares of one."""
    own = np.exp(logs[:, : len(PRONOUNS)])
    return np.asarray(own / own.sum(axis=1, keepdims=True))


def connective_shares(logs: FloatArray) -> FloatArray:
    """How well each connective fits places, (places, connectives): its share among connectives, and
    of the others' shares as much as they have senses in common with it."""
    own = np.exp(logs[:, FIRST_CONNECTIVE + 1 :])
    own = own / own.sum(axis=1, keepdims=True)
    return np.asarray(own @ _alike())


@cache
def _alike() -> FloatArray:
    """Which part of the senses of two connectives both can express."""
    known = inventory("en").connectives
    senses = [frozenset(known[name].senses) - {"Other.Adverb"} for name in CONNECTIVES]
    return np.array([[len(one & other) / len(one | other) for other in senses] for one in senses])


class Family(NamedTuple):
    """Words of a kind: how they are found, their names, how well each would fit."""

    find: Callable[[Sequence[str]], list[Target]]
    names: tuple[str, ...]
    shares: Callable[[FloatArray], FloatArray]


FAMILIES = {
    "pronouns": Family(pronouns, tuple(PRONOUNS), pronoun_shares),
    "connectives": Family(connectives, CONNECTIVES, connective_shares),
}


def fits(family: str, documents: Sequence[Sequence[str]]) -> list[list[Fit]]:
    """Of every word of a family in documents of words, in order; but not of one that is longer than
    what the network reads."""
    find, names, shares_of = FAMILIES[family]
    asked = [(words, [t for t in find(words) if t.name in names]) for words in documents]
    found = []
    for (_, targets), logs in zip(asked, guessed(asked), strict=True):
        shares = shares_of(logs)
        own = []
        for target, row in zip(targets, shares, strict=True):
            if np.isnan(row).any():
                continue
            best = int(row.argmax())
            degree = float(row[names.index(target.name)])
            own.append(Fit(target, degree, names[best], float(row[best])))
        found.append(own)
    return found


def fit_rows(family: str, batch: Batch) -> FloatArray:
    """The sum of how well a document's words fit, their number, and how many are in doubt: a row each."""
    documents = [_words(batch.hypotheses[document.rows])[0] for document in batch.documents]
    rows = np.zeros((len(documents), 3))
    for row, own in zip(rows, fits(family, documents), strict=True):
        row[:] = sum(each.degree for each in own), len(own), sum(each.doubtful for each in own)
    return rows


def fit_view(metric: Metric, family: str, batch: Batch, row: FloatArray) -> View:
    """Each word of a family, and what would fit better."""
    words, offsets = _words(batch.hypotheses)
    (own,) = fits(family, [words])
    text = Compared(Side.HYPOTHESIS, "\n".join(batch.hypotheses), Tokens(words, offsets))
    losses = [_loss(each, words, len(own)) for each in own]
    notes = () if own else (f"It has no {family}: no score.",)
    return metric.view(row, [text], losses=losses, notes=notes)


def _loss(each: Fit, words: Sequence[str], count: int) -> Loss:
    """What a word takes from the score, and what would fit better."""
    target = each.target
    said = " ".join(words[target.start : target.stop])
    label = f"{said}: fits {each.degree:.2f}"
    if each.best_degree > each.degree:
        label += f", {each.best!r} {each.best_degree:.2f}"
    details: dict[str, str | float] = {
        "word": target.name,
        "fits": round(each.degree, 3),
        "best": each.best,
        "best fits": round(each.best_degree, 3),
        "doubtful": "yes" if each.doubtful else "no",
    }
    place = Place(0, tuple(range(target.start, target.stop)))
    return Loss(label, (1 - each.degree) / count, (place,), details)


def _words(lines: Sequence[str]) -> tuple[tuple[str, ...], tuple[tuple[int, int], ...]]:
    """The words of a document, and where they stand in its lines joined."""
    found = list(_WORD.finditer("\n".join(lines)))
    return tuple(match.group() for match in found), tuple(match.span() for match in found)


def fit_versions() -> dict[str, str]:
    """The versions of both networks."""
    from albeit.metrics.judge.cloze import load_cloze

    cloze = load_cloze()
    return {"model": cloze.version, "judge": cloze.judge.version}


def check_there(metric: Metric) -> None:
    """Raise where the network is not installed."""
    from albeit.metrics.judge.cloze import FOLDER, there

    if not there():
        raise MetricError(
            f"{metric} hides words and lets a network guess them, which is not in this"
            f" installation ({FOLDER} is missing)."
        )


@dataclass(frozen=True)
class ConnectivesFree(MeanMetric):
    """How well the connectives of a translation fit the text around them.

    It is not a number where there is none. A connective is hidden; how well it fits is how likely
    one that can say the same stands there. Neither source nor reference is looked at.
    """

    name: ClassVar[str] = "connectives-free"
    safe_for_untrusted: ClassVar[bool] = True
    summary: ClassVar[str] = "connectives that fit the text around them (no refs, document)"
    unit: ClassVar[Unit] = Unit.DOCUMENT
    columns: ClassVar[tuple[str, ...]] = ("fit", "connectives", "in doubt")
    judged: ClassVar[tuple[str, tuple[str, ...]]] = ("connectives", ("connectives",))

    @property
    def needs(self) -> frozenset[Need]:
        """The translation's words."""
        return read(TEXT, side=Side.HYPOTHESIS)

    @property
    def languages(self) -> frozenset[str]:
        """The network reads English."""
        return frozenset({"en"})

    @property
    def exact(self) -> bool:
        """It is a network."""
        return False

    def check(self, evalset: EvalSet) -> None:
        """The network must be there before work begins."""
        super().check(evalset)
        check_there(self)

    def versions(self, context: Context = None) -> dict[str, str]:
        """Those of the networks."""
        return fit_versions()

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """The sum of fits, the number of connectives, and how many are in doubt, a document."""
        return fit_rows("connectives", batch)

    def details(self, sums: FloatArray) -> dict[str, float | list[float]]:
        """How many connectives there are, and how many are in doubt."""
        return {name: float(self.column(name, sums)) for name in ("connectives", "in doubt")}

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Each connective, and what would fit better."""
        return fit_view(self, "connectives", batch, row)
