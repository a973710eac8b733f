"""The kinds of glue that a profile has a row of, each measured by a metric of the toolkit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from albeit.diagnose.flag import why_none
from albeit.evaluation import Evaluation
from albeit.metrics.connectives.assess import Case
from albeit.metrics.reference.pronouns_free import DOUBTFUL
from albeit.metrics.registry import metric
from albeit.metrics.table import Column
from albeit.metrics.view import Loss

__all__ = ["KINDS", "Kind", "fitting", "unscored"]


def _lost(loss: Loss) -> bool:
    return loss.amount > 0


def _different(loss: Loss) -> bool:
    """Another pronoun than the reference's: one that is missing is mostly a free translation."""
    return loss.details["case"] == Case.INCOMPATIBLE


def _unfit(loss: Loss) -> bool:
    """Something else fits far better there."""
    return loss.details["doubtful"] == "yes"


def _disagreeing(loss: Loss) -> bool:
    """In doubt, and what it most likely takes up is none of its kind."""
    return float(loss.details["agreement"]) < DOUBTFUL and loss.details.get("agrees") == "no"


def _straying(loss: Loss) -> bool:
    """Of three occurrences or more: two that differ are mostly chance."""
    return loss.amount > 0 and float(loss.details["occurrences"]) > 2


@dataclass(frozen=True)
class Kind:
    """One kind of glue: its name, the metric that measures it, and what that looks at.

    ``flagged`` says which losses are instances to be shown. ``whole`` are those for which a
    network reads whole documents, which takes its time. ``flagging`` says whether likely faults
    of this kind are found; where not, all it shows are differences. ``prior`` is how often a
    difference of this kind was found to be a fault, where they were read one by one. A kind
    without a metric has likely faults and no score.
    """

    name: str
    metric: str
    about: str
    flagged: Callable[[Loss], bool] = _lost
    whole: bool = False
    flagging: bool = False
    prior: float | None = None

    @property
    def name_of_metric(self) -> str:
        """The metric's full name, by which a table knows it."""
        return str(metric(self.metric)) if self.metric else ""

    def coverage(self, column: Column) -> tuple[tuple[int, ...], str]:
        """How many things each system was judged by, and what they are."""
        made = metric(self.metric)
        if column.statistics is not None:
            found = made.counted(column.statistics.sum(axis=1))
            if found is not None:
                return tuple(int(n) for n in found), made.judged[0]
        scores = column.document if column.segment is None else column.segment
        unit = "documents" if column.segment is None else "segments"
        assert scores is not None
        return tuple(int(n) for n in (~np.isnan(scores)).sum(axis=1)), unit


_CONNECTIVES = (
    "Connectives of the source (although, since, while …) whose translation says what the"
    " reference's says."
)
_PRONOUNS = "Pronouns of another person, number or gender than the reference's at the same place."
KINDS = (
    Kind("connectives", "act(target_sense=model)", _CONNECTIVES, prior=0.25),
    Kind("connectives", "act", _CONNECTIVES, prior=0.25),
    Kind(
        "pronouns",
        "pronouns",
        "Third-person pronouns that stand where the reference has them.",
        _different,
        prior=0.0,
    ),
    Kind(
        "pronouns in context",
        "pronouns-free",
        "Third-person pronouns that fit the translation around them, read with the pronoun hidden.",
        _unfit,
        whole=True,
        flagging=True,
    ),
    Kind(
        "pronouns in context",
        "pronouns-free(by=antecedents)",
        "Third-person pronouns that agree in number,"
        " animacy and gender with what the translation itself offers.",
        _disagreeing,
        whole=True,
        flagging=True,
        prior=0.3,
    ),
    Kind("pronouns in context", "", _PRONOUNS, flagging=True),
    Kind(
        "terms",
        "terms",
        "Repeated terms that are translated by the same word throughout.",
        _straying,
        flagging=True,
        prior=0.25,
    ),
    Kind(
        "coreference",
        "coref",
        "Mentions of persons and things where the reference mentions the same one.",
        whole=True,
        prior=0.1,
    ),
    Kind(
        "lexical cohesion",
        "cohesion",
        "Words that the reference takes up again, taken up again"
        " at the same places of the document.",
    ),
    Kind(
        "discourse trees",
        "dr",
        "How far the discourse trees of the sentences are those of the reference.",
    ),
)


def fitting(evaluation: Evaluation) -> tuple[list[Kind], dict[str, str]]:
    """The kinds that can be measured on this set; and of the others, why not.

    Where there are two ways to measure a kind, the first that fits is taken.
    """
    found: list[Kind] = []
    why: dict[str, str] = {}
    for kind in KINDS:
        if any(kind.name == other.name for other in found):
            continue
        problem = _problem(evaluation, kind)
        if problem is not None:
            why[kind.name] = problem
        else:
            found.append(kind)
            why.pop(kind.name, None)
    return found, why


def unscored(kind: Kind) -> Kind | None:
    """The same kind without a score, for those who do not wait for it; none where there is none."""
    same = (other for other in KINDS if other.name == kind.name and not other.metric)
    return next(same, None)


def _problem(evaluation: Evaluation, kind: Kind) -> str | None:
    """Why a kind cannot be measured on a set, in one line."""
    if not kind.metric:
        return why_none(evaluation.evalset)
    problem = evaluation.problem(metric(kind.metric))
    return None if problem is None else str(problem).splitlines()[0]
