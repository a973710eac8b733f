"""Does a metric agree with people? Tasks, measures, confidence, rankings."""

from albeit.metaeval.judged_set import (
    FOUND,
    JudgedSet,
    find_judgments,
    join,
    read_judged,
    with_judgments,
)
from albeit.metaeval.measure import Measure, agreement, usual_measure
from albeit.metaeval.rank import Ranked, Ranking, rank_metrics
from albeit.metaeval.significance import difference
from albeit.metaeval.task import Task, oriented, usual_margin
from albeit.metaeval.tree import Tree

__all__ = [
    "FOUND",
    "JudgedSet",
    "Measure",
    "Ranked",
    "Ranking",
    "Task",
    "Tree",
    "agreement",
    "difference",
    "find_judgments",
    "join",
    "oriented",
    "rank_metrics",
    "read_judged",
    "usual_margin",
    "usual_measure",
    "with_judgments",
]
