"""Does a metric agree with people? Tasks, measures, confidence, rankings."""

from albeit.metaeval.measure import Measure, agreement, usual_measure
from albeit.metaeval.rank import Ranked, Ranking, rank_metrics
from albeit.metaeval.significance import difference

__all__ = [
    "Measure",
    "Ranked",
    "Ranking",
    "agreement",
    "difference",
    "rank_metrics",
    "usual_measure",
]
