"""Connectives and pronouns without references: how well each fits the text around it.

A word is masked, and a network that reads its document (:mod:`albeit.metrics.judge.cloze`)
predicts each class. Pronouns of one class in one sentence mostly have the same antecedent, so they
are masked together. A pronoun can also be compared with its antecedents: it agrees with one of the
same number, animacy, and gender. Neither reference nor source is read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from albeit.metrics import Batch, Context, DocumentMetric, FloatArray, Need, Side, base, read
from albeit.metrics.connectives.load import inventory
from albeit.metrics.judge import cloze
from albeit.metrics.judge.chunking import whitespace_tokens
from albeit.metrics.judge.cloze import CLASSES, CONNECTIVES, PRONOUNS, Hidden, Target
from albeit.metrics.view import Compared, Link, Loss, Place, View
from albeit.parsing.layers import ANTECEDENTS, TEXT, TOKENS, Analysis, Antecedent, Pronoun
from albeit.parsing.traits import ENGLISH, THIRD_PERSON

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


@dataclass(frozen=True)
class FitMetric(base.MeanMetric, DocumentMetric):
    """How well the words of a family fit the text around them: the mean over the words."""

    family: ClassVar[str]

    def versions(self, context: Context = None) -> dict[str, str]:
        """Return the versions of both networks."""
        network = cloze.load_cloze()
        return {"model": network.version, "judge": network.judge.version}

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return per document the sum of fits, the number of words, and of doubtful ones."""
        documents = [
            tuple(word for line in batch.hypotheses[document.rows] for word in line.split())
            for document in batch.documents
        ]
        rows = [
            (sum(each.degree for each in own), len(own), sum(each.doubtful for each in own))
            for own in _fits(self.family, documents)
        ]
        return np.array(rows, np.float64).reshape(-1, 3)

    def details(self, sums: FloatArray) -> dict[str, float | list[float]]:
        """Return the numbers of words and of doubtful ones."""
        return {name: float(self.column(name, sums)) for name in self.columns[1:]}

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Show each word, and what would fit better."""
        text = "\n".join(batch.hypotheses)
        tokens = whitespace_tokens(text)
        (own,) = _fits(self.family, [tokens.forms])
        losses = [_fit_loss(each, tokens.forms, len(own)) for each in own]
        notes = () if own else (f"It has no {self.family}: no score.",)
        compared = Compared(Side.HYPOTHESIS, text, tokens)
        return self.view(row, [compared], losses=losses, notes=notes)


def _fit_loss(each: Fit, words: Sequence[str], count: int) -> Loss:
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


class ConnectivesFree(FitMetric):
    """How well the connectives of a translation fit the text around them.

    The score is NaN without connectives. A connective is masked; its fit is the probability of a
    connective with the same senses. Neither source nor reference is read.
    """

    name = "connectives-free"
    summary = "connectives that fit the text around them (no refs, document)"
    columns = ("fit", "connectives", "in doubt")
    judged = ("connectives", ("connectives",))
    needs = read(TEXT, side=Side.HYPOTHESIS)
    languages = frozenset({"en"})
    family = "connectives"


_KINDS = {form: kind for kind, forms in THIRD_PERSON.items() for form in forms}
_ANTECEDENT_TRAITS: dict[str, tuple[frozenset[str], ...]] = {
    "he": (frozenset({"singular", "animate", "masculine"}),),
    "she": (frozenset({"singular", "animate", "feminine"}),),
    "it": (frozenset({"singular", "inanimate", "neuter"}),),
    "they": (
        frozenset({"plural", "animate", "inanimate", "masculine", "feminine", "neuter"}),
        frozenset({"singular", "animate"}),
    ),
}
"""Traits of possible antecedents; *they* may be one person of unknown gender."""
_SPEAKERS = frozenset(form for kind in ("i", "we", "you") for form in ENGLISH[kind])
"""Speakers and listeners aren't antecedents of the third person."""
DISAGREEING = 0.5
"""Below this, a pronoun more likely doesn't agree, or has no antecedent in the text."""
_MOST = 50.0
"""Log odds above which an antecedent is certain."""


class Agreement(NamedTuple):
    """How far a pronoun agrees with its text, from 0 to 1, and its likeliest antecedent."""

    word: int
    kind: str
    degree: float
    antecedent: Antecedent | None


def conflicts(kind: str, antecedent: Antecedent) -> bool:
    """Return whether a known trait of an antecedent excludes the pronoun.

    *It* may be an animal, *they* an organization.
    """
    traits = set(antecedent.traits)
    if kind == "it" and antecedent.kind == "animal":
        traits -= {"animate"}
    if kind == "they" and antecedent.kind == "organization":
        traits -= {"singular"}
    return not any(traits <= possible for possible in _ANTECEDENT_TRAITS[kind])


def agreement(pronoun: Pronoun, forms: Sequence[str]) -> Agreement:
    """Return how likely the antecedent of a pronoun agrees with it.

    The odds of all antecedents, and of none at all, are shares of one; those of antecedents
    that agree are added up. ``forms`` are the words of the document.
    """
    kind = _KINDS[forms[pronoun.word].lower()]
    offered = [a for a in pronoun.antecedents if forms[a.head].lower() not in _SPEAKERS]
    odds = [math.exp(min(a.score, _MOST)) for a in offered]
    agreed = sum(each for each, a in zip(odds, offered, strict=True) if not conflicts(kind, a))
    best = offered[0] if offered else None
    return Agreement(pronoun.word, kind, agreed / (1 + sum(odds)), best)


_MODALS = "will would may might can could should must has have had"
_ADVERBS = "not n't also still only now very so really often always never already"
_BEFORE = frozenset(f"{_MODALS} {_ADVERBS}".split())
_FORMS = (
    "is was 's ’s be been being seems seemed appears appeared becomes became remains takes took"
)
_BE = frozenset(_FORMS.split())
_CLAUSE = frozenset(("that", "to", "whether", "how"))
_ENDS = frozenset((".", "!", "?", ";", ",", ":", "--", "–", "—"))
_WITH_TO = frozenset(("next", "due", "close", "similar", "thanks", "up"))
"""Words after which *to* doesn't start a clause."""
_REACH = 6


def is_expletive(forms: Sequence[str], word: int) -> bool:
    """Return whether a word is an *it* without an antecedent: "it was not easy to".

    A rule over words: *it*, a form of *be* or *seem* ("it is estimated that"), and within a few
    words of the same clause *that*, *to*, *whether* or *how*. Some others ("it is easy to use")
    match too.
    """
    if forms[word].lower() != "it":
        return False
    after = [form.lower() for form in forms[word + 1 : word + 1 + 2 * _REACH]]
    start = next((n for n, form in enumerate(after) if form not in _BEFORE), len(after))
    if start == len(after) or after[start] not in _BE:
        return False
    stop = next((n for n in range(start, len(after)) if after[n] not in _BE | _BEFORE), len(after))
    for n in range(stop + 1, min(stop + _REACH, len(after))):
        if after[n - 1] in _ENDS or after[n] in _ENDS:
            return False
        if after[n] in _CLAUSE and after[n - 1] not in _WITH_TO:
            return True
    return False


@dataclass(frozen=True)
class PronounsFree(FitMetric):
    """How well the third-person pronouns of a translation fit it: the mean.

    It is not a number if there is no pronoun. Neither source nor reference is used. With
    ``by=context``, a network predicts the probability of each among *he*, *she*, *it*, and *they*
    from its context. With ``by=antecedents``, the coreference network computes how far each agrees
    with its antecedents, by the traits of earlier mentions.
    """

    name = "pronouns-free"
    summary = "pronouns that fit the text around them (no refs, document)"
    columns = ("fit", "pronouns", "in doubt")
    judged = ("pronouns", ("pronouns",))
    family = "pronouns"

    by: Literal["context", "antecedents"] = "context"

    @property
    def needs(self) -> frozenset[Need]:
        """Text of the translation, or the antecedents of its pronouns."""
        if self.by == "context":
            return read(TEXT, side=Side.HYPOTHESIS)
        return base.document_needs(TOKENS, ANTECEDENTS, sides=(Side.HYPOTHESIS,))

    @property
    def languages(self) -> frozenset[str] | None:
        """English, for the network that reads the context."""
        return frozenset({"en"}) if self.by == "context" else None

    def versions(self, context: Context = None) -> dict[str, str]:
        """Return the versions of the networks."""
        return super().versions() if self.by == "context" else DocumentMetric.versions(self)

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return the sum of fit, the number of pronouns, and of those in doubt, per document."""
        if self.by == "context":
            return super().statistics(batch, context)
        rows = np.zeros((len(batch.documents), 3))
        for row, document in zip(rows, batch.documents, strict=True):
            analysis = batch.document_analyses[tuple(batch.hypotheses[document.rows])]
            degrees = np.array([each.degree for each in _agreements(analysis)])
            row[:] = degrees.sum(), len(degrees), (degrees < DISAGREEING).sum()
        return rows

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Show each pronoun with its likeliest antecedent, or with what fits better."""
        if self.by == "context":
            return super().explain(batch, context, row)
        analysis = batch.document_analyses[tuple(batch.hypotheses)]
        tokens, agreements = analysis[TOKENS], _agreements(analysis)
        losses = [_agreement_loss(each, len(agreements), tokens.forms) for each in agreements]
        links = [
            Link(loss.places[0], loss.places[1], each.degree, "takes up")
            for each, loss in zip(agreements, losses, strict=True)
            if each.antecedent is not None and each.degree >= DISAGREEING
        ]
        text = Compared(Side.HYPOTHESIS, analysis.text, tokens)
        notes = () if agreements else ("No third-person pronoun: no score.",)
        return self.view(row, [text], links, losses, notes=notes)


def _agreements(analysis: Analysis) -> list[Agreement]:
    """Return the agreement of every third-person pronoun of a document except expletives."""
    forms = analysis[TOKENS].forms
    pronouns = (each for each in analysis[ANTECEDENTS] if not is_expletive(forms, each.word))
    return [agreement(pronoun, forms) for pronoun in pronouns]


def _agreement_loss(each: Agreement, count: int, forms: Sequence[str]) -> Loss:
    """Return the loss of a pronoun, with its likeliest antecedent."""
    pronoun = forms[each.word]
    places = [Place(0, (each.word,))]
    details: dict[str, str | float] = {"pronoun": pronoun, "agreement": round(each.degree, 3)}
    if each.antecedent is None:
        label = f"{pronoun}: no possible antecedent before it"
    else:
        a = each.antecedent
        offered, traits = " ".join(forms[a.start : a.stop]), ", ".join(a.traits)
        label = f"{pronoun}: the likeliest antecedent is {offered!r} ({traits or 'unknown'})"
        details |= {"antecedent": offered, "traits": traits, "score": round(a.score, 3)}
        details["agrees"] = "no" if conflicts(each.kind, a) else "yes"
        places.append(Place(0, tuple(range(a.start, a.stop))))
    return Loss(label, (1 - each.degree) / count, tuple(places), details)
