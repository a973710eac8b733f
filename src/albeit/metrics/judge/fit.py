"""``connectives-free``, and how well pronouns and connectives fit the text around them.

A word is masked, and a network that reads its document (:mod:`albeit.metrics.judge.cloze`)
predicts each class. Pronouns of one class in one sentence mostly have the same antecedent, so they
are masked together. Neither reference nor source is read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import ClassVar, NamedTuple

import numpy as np

from albeit.arrays import FloatArray
from albeit.data.levels import Unit
from albeit.metrics.base import Batch, Context, MeanMetric, Metric
from albeit.metrics.connectives.load import inventory
from albeit.metrics.judge import cloze
from albeit.metrics.judge.chunking import whitespace_tokens
from albeit.metrics.judge.cloze import CLASSES, CONNECTIVES, PRONOUNS, Hidden, Target
from albeit.metrics.view import Compared, Loss, Place, View
from albeit.parsing.layers import TEXT
from albeit.parsing.needs import Need, Side, read

DOUBTFUL = 2.0
"""A word is doubtful if another one fits so many times as well."""
TOGETHER = 4
"""The number of words, or groups of pronouns, that are masked at once."""
SPAN = 120
"""The number of words between the first and the last of them, so that all have context."""

Run = tuple[int, int]
Plan = dict[Run, tuple[Run, ...]]
"""All words that are masked together with each."""


class Fit(NamedTuple):
    """A word, how well it fits (from 0 to 1), and the word that fits best, with its degree."""

    target: Target
    degree: float
    best: str
    best_degree: float

    @property
    def doubtful(self) -> bool:
        """Whether another word fits far better."""
        return self.best_degree >= DOUBTFUL * self.degree


def predict(
    asked: Sequence[tuple[Sequence[str], Sequence[Target]]], network: cloze.Cloze | None = None
) -> list[FloatArray]:
    """Return log probabilities of all classes for words of documents, (targets, classes).

    The result for a word doesn't depend on the other targets. A word that is too far from those
    that are masked with it is read again, alone.

    :param asked: the words of each document, and the targets
    :param network: by default the shipped one
    """
    network = network or cloze.load_cloze()
    found = [np.full((len(targets), len(CLASSES)), np.nan) for _, targets in asked]
    left = [(n, k) for n, (_, targets) in enumerate(asked) for k in range(len(targets))]
    alone: list[Plan] = [{}] * len(asked)
    for plans in ([_plan(words) for words, _ in asked], alone):
        hidden: dict[Hidden, list[tuple[int, int, int]]] = {}
        for n, k in left:
            words, targets = asked[n]
            own = (targets[k].start, targets[k].stop)
            runs = plans[n].get(own, (own,))
            hidden.setdefault(Hidden(tuple(words), runs), []).append((n, k, runs.index(own)))
        for owners, logs in zip(hidden.values(), network.read(list(hidden)), strict=True):
            for n, k, row in owners:
                found[n][k] = logs[row]
        left = [(n, k) for n, k in left if np.isnan(found[n][k, 0])]
    return found


def _plan(words: Sequence[str]) -> Plan:
    """Return all words that are masked together with each.

    These are up to ``TOGETHER`` within ``SPAN`` words, and no neighbors if there are more.
    """
    single = [((t.start, t.stop),) for t in cloze.connectives(words) if t.name in CONNECTIVES]
    found: Plan = {}
    for groups in (_pronoun_groups(words), single):
        start = 0
        while start < len(groups):
            first = groups[start][0][0]
            end = start + 1
            while end < len(groups) and groups[end][-1][1] - first <= SPAN:
                end += 1
            reads = -(-(end - start) // TOGETHER)
            for k in range(start, start + reads):
                runs = tuple(run for group in groups[k:end:reads] for run in group)
                found |= dict.fromkeys(runs, runs)
            start = end
    return found


def _pronoun_groups(words: Sequence[str]) -> list[tuple[Run, ...]]:
    """Return pronouns, those of one class in one sentence together, in order of their first."""
    sentence = list(accumulate(map(int, cloze.sentence_starts(words))))
    found: list[list[Run]] = []
    last: dict[tuple[str, int], list[Run]] = {}
    for start, stop, name in cloze.pronouns(words):
        own = last.get((name, sentence[start]))
        if own is not None and start - own[0][0] <= SPAN // 2:
            own.append((start, stop))
        else:
            found.append([(start, stop)])
            last[name, sentence[start]] = found[-1]
    return [tuple(group) for group in found]


def pronoun_shares(logs: FloatArray) -> FloatArray:
    """Return the probabilities of *he*, *she*, *it*, and *they* among these four."""
    own = np.exp(logs[:, : len(PRONOUNS)])
    return np.asarray(own / own.sum(axis=1, keepdims=True))


def connective_shares(logs: FloatArray) -> FloatArray:
    """Return how well each connective fits: the probabilities of all, weighted by common senses."""
    own = np.exp(logs[:, cloze.FIRST_CONNECTIVE + 1 :])
    own = own / own.sum(axis=1, keepdims=True)
    return np.asarray(own @ _common_senses())


@cache
def _common_senses() -> FloatArray:
    """Return the share of senses that two connectives have in common."""
    known = inventory("en").connectives
    senses = [frozenset(known[name].senses) - {"Other.Adverb"} for name in CONNECTIVES]
    return np.array([[len(one & other) / len(one | other) for other in senses] for one in senses])


class WordFamily(NamedTuple):
    """Words of a kind: how to find them, their names, how well each would fit."""

    find: Callable[[Sequence[str]], list[Target]]
    names: tuple[str, ...]
    shares: Callable[[FloatArray], FloatArray]


FAMILIES = {
    "pronouns": WordFamily(cloze.pronouns, tuple(PRONOUNS), pronoun_shares),
    "connectives": WordFamily(cloze.connectives, CONNECTIVES, connective_shares),
}


def _fits(family: str, documents: Sequence[Sequence[str]]) -> list[list[Fit]]:
    """Return the fit of every word of a family, except words longer than the network can read."""
    find, names, shares = FAMILIES[family]
    asked = [(words, [t for t in find(words) if t.name in names]) for words in documents]
    return [
        [
            Fit(target, float(row[names.index(target.name)]), names[row.argmax()], float(row.max()))
            for target, row in zip(targets, shares(logs), strict=True)
            if not np.isnan(row).any()
        ]
        for (_, targets), logs in zip(asked, predict(asked), strict=True)
    ]


def fit_rows(family: str, batch: Batch) -> FloatArray:
    """Return per document the sum of fits, the number of words, and that of doubtful words."""
    documents = [
        tuple(word for line in batch.hypotheses[document.rows] for word in line.split())
        for document in batch.documents
    ]
    rows = [
        (sum(each.degree for each in own), len(own), sum(each.doubtful for each in own))
        for own in _fits(family, documents)
    ]
    return np.array(rows, np.float64).reshape(-1, 3)


def fit_view(metric: Metric, family: str, batch: Batch, row: FloatArray) -> View:
    """Show each word of a family, and what would fit better."""
    text = "\n".join(batch.hypotheses)
    tokens = whitespace_tokens(text)
    (own,) = _fits(family, [tokens.forms])
    losses = [_loss(each, tokens.forms, len(own)) for each in own]
    notes = () if own else (f"It has no {family}: no score.",)
    compared = Compared(Side.HYPOTHESIS, text, tokens)
    return metric.view(row, [compared], losses=losses, notes=notes)


def _loss(each: Fit, words: Sequence[str], count: int) -> Loss:
    """Return what a word takes from the score, and what would fit better."""
    target = each.target
    label = f"{' '.join(words[target.start : target.stop])}: fits {each.degree:.2f}"
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


def fit_versions() -> dict[str, str]:
    """Return the versions of both networks."""
    network = cloze.load_cloze()
    return {"model": network.version, "judge": network.judge.version}


@dataclass(frozen=True)
class ConnectivesFree(MeanMetric):
    """How well the connectives of a translation fit the text around them.

    The score is NaN without connectives. A connective is masked; its fit is the probability of a
    connective with the same senses. Neither source nor reference is read.
    """

    name: ClassVar[str] = "connectives-free"
    summary: ClassVar[str] = "connectives that fit the text around them (no refs, document)"
    unit: ClassVar[Unit] = Unit.DOCUMENT
    columns: ClassVar[tuple[str, ...]] = ("fit", "connectives", "in doubt")
    judged: ClassVar[tuple[str, tuple[str, ...]]] = ("connectives", ("connectives",))
    needs: ClassVar[frozenset[Need]] = read(TEXT, side=Side.HYPOTHESIS)
    languages: ClassVar[frozenset[str]] = frozenset({"en"})
    exact: ClassVar[bool] = False

    def versions(self, context: Context = None) -> dict[str, str]:
        """Return the versions of the networks."""
        return fit_versions()

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return per document the sum of fits, and the numbers of connectives and doubtful ones."""
        return fit_rows("connectives", batch)

    def details(self, sums: FloatArray) -> dict[str, float | list[float]]:
        """Return the numbers of connectives and of doubtful ones."""
        return {name: float(self.column(name, sums)) for name in ("connectives", "in doubt")}

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Show each connective, and what would fit better."""
        return fit_view(self, "connectives", batch, row)
